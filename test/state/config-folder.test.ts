import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configFolder } from '../../src/state/config-folder.ts';
import { openState } from '../../src/state/state.ts';
import { coded, configFile, stateOf, temporaryFolder } from './temporary-state.ts';

describe('the folder of settings', () => {
  const cases: readonly (readonly [NodeJS.ProcessEnv, string, string])[] = [
    [{ HOME: '/h', XDG_CONFIG_HOME: '/x' }, 'linux', '/x/authcli'],
    [{ HOME: '/h', XDG_CONFIG_HOME: 'x' }, 'linux', '/h/.config/authcli'],
    [{ HOME: '/h', XDG_CONFIG_HOME: '' }, 'linux', '/h/.config/authcli'],
    [{}, 'linux', '/account/.config/authcli'],
    [{ HOME: '' }, 'linux', '/account/.config/authcli'],
    [{ HOME: '.' }, 'linux', '/account/.config/authcli'],
    [{ HOME: 'home' }, 'darwin', '/account/Library/Preferences/authcli'],
  ];
  for (const [env, os, expected] of cases) {
    it(`is ${expected} with ${JSON.stringify(env)}`, () => {
      assert.equal(configFolder({ env, os, home: () => '/account' }), expected);
    });
  }

  it('is never below the current folder, even where the account has no home', () => {
    assert.equal(configFolder({ env: {}, os: 'linux', home: () => '' }), '/.config/authcli');
  });

  it("doesn't let a checked-out folder run commands", () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.config', 'authcli'), { recursive: true });
    const file = join(cwd, '.config', 'authcli', 'config.json');
    writeFileSync(file, '{}');
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'authcli.js');
    for (const env of [{}, { HOME: '' }, { HOME: '.' }, { HOME: cwd, XDG_CONFIG_HOME: '' }]) {
      const path = execFileSync(process.execPath, [bin, 'config', 'path'], { cwd, env })
        .toString()
        .trim();
      assert.equal(path === file, env.HOME === cwd, path);
    }
  });
});

describe('a config file with references', () => {
  const withCommand = JSON.stringify({
    version: 1,
    activeProfile: 'default',
    profiles: { default: { 'secret-key': 'cmd:touch pwned' } },
  });

  for (const mode of [0o620, 0o602, 0o666]) {
    it(`is refused with mode ${mode.toString(8)}, and keeps it`, () => {
      const file = configFile(withCommand);
      chmodSync(file, mode);
      const refused = coded(
        'config',
        /Others can write the config file/,
        `Check its content, then run: chmod 600 ${file}`,
      );
      assert.throws(() => stateOf(file).profile, refused);
      assert.throws(() => stateOf(file).profile, refused);
    });
  }

  it('is refused if another user owns it', () => {
    const options = { now: Date.now, randomBytes: () => new Uint8Array(), os: 'linux' };
    const file = configFile(withCommand);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(file, 1, 1); // the files of root are everybody's
    const userId = statSync(file).uid + 1;
    assert.throws(
      () => openState({ ...options, configFile: file, userId }).profile,
      coded('config', /belongs to another user/, /chown/),
    );
  });

  it('is read if others can only read it', () => {
    const file = configFile(withCommand);
    chmodSync(file, 0o644);
    assert.equal(stateOf(file).settings.get('secret-key'), 'cmd:touch pwned');
  });
});
