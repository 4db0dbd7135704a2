import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { globalFlags } from '../../src/cli/args/global-flags.ts';
import { type Flags, flagName, isPositional } from '../../src/cli/args/options.ts';
import { commands } from '../../src/cli/commands/index.ts';
import type { CommandDescription } from '../../src/cli/terminal/command-description.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';

const withoutConfig = { configFile: '/no-such-folder/config.json' };
const schema = JSON.parse(readFileSync('schemas/commands-1.json', 'utf8'));
const { stdout } = await run(['commands', '--json'], withoutConfig);
const document = JSON.parse(stdout) as { commands: readonly CommandDescription[] };
const byName = new Map(document.commands.map((command) => [command.name, command]));

describe('commands --json', () => {
  it('is what schemas/commands-1.json says', () => {
    assert.deepEqual(violations(document, schema), []);
  });

  it('has every command with every option', async () => {
    assert.deepEqual(
      [...byName.keys()],
      commands.map(({ path }) => path),
    );
    for (const { path, load } of commands) {
      const flags: Flags = { ...(await load()).flags, ...globalFlags };
      const expected = Object.values(flags)
        .filter((flag) => !isPositional(flag))
        .map((flag) => `--${flagName(flag)}`);
      assert.deepEqual(
        byName.get(path)?.options.map(({ name }) => name),
        expected,
      );
    }
  });

  it('says of an option what it takes and where else it is read from', () => {
    const option = byName
      .get('simulate-signup')
      ?.options.find(({ name }) => name === '--client-id');
    assert.deepEqual(option, {
      name: '--client-id',
      about: 'the Application Client ID',
      type: 'string',
      reads: 'text',
      required: false,
      repeatable: false,
      secret: false,
      choices: null,
      group: 'command',
      value: 'id',
      default: 'authcli-client',
      environment: 'AUTHCLI_CLIENT_ID',
      setting: 'client-id',
    });
  });

  it('distinguishes numbers, switches and secrets', () => {
    const options = new Map(byName.get('verify')?.options.map((option) => [option.name, option]));
    assert.equal(options.get('--users')?.type, 'integer');
    assert.equal(options.get('--strict')?.type, 'boolean');
    assert.equal(options.get('--strict')?.environment, null);
    assert.equal(options.get('--cert-key')?.secret, true);
    assert.equal(options.get('--timeout')?.group, 'network');
    assert.equal(options.get('--report')?.group, 'output');
  });

  it('has the exit codes that a command can end with', () => {
    const statuses = (name: string) => byName.get(name)?.exit_codes.map(({ status }) => status);
    assert.deepEqual(statuses('verify'), [0, 1, 2, 3, 4, 70, 130, 143]);
    assert.deepEqual(statuses('key wrap'), [0, 1, 2, 4, 70, 130, 143]);
    for (const { name, exit_codes } of document.commands) {
      const about = exit_codes.slice(0, 2).map(({ meaning }) => meaning);
      const sends = exit_codes.some(({ status }) => status === 3);
      assert.equal(about.join().includes('other side'), sends, name);
    }
  });

  it('names options that exclude each other as they are written', () => {
    assert.deepEqual(byName.get('cipher probe')?.exclusive, [['--user-info', '--no-user-info']]);
  });
});

describe('commands', () => {
  it('lists every command with what it does', async () => {
    const { stdout: text } = await run(['commands'], withoutConfig);
    assert.deepEqual(
      text.trimEnd().split('\n'),
      commands.map(({ path, summary }) => `${path.padEnd(22)} ${summary}`),
    );
  });
});

describe('authcli --help', () => {
  it('has every command under a heading, once, or a line for its group', async () => {
    const { stdout: help } = await run(['--help'], withoutConfig);
    const [, overview = ''] = help.split('Act as the service:\n');
    const listed = [...overview.matchAll(/^ {2}(\S+(?: [a-z]+)*) *(…?) {2}/gm)];
    const covered = commands.map(({ path }) => {
      const lines = listed.filter(([, name, group]) =>
        group === '' ? name === path : path.startsWith(`${name} `),
      );
      return `${path}: ${lines.length}`;
    });
    assert.deepEqual(
      covered,
      commands.map(({ path }) => `${path}: 1`),
    );
  });
});
