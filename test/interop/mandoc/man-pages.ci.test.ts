import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commands } from '../../../src/cli/commands/index.ts';

const folder = 'dist/man';
const files = readdirSync(folder).map((file) => join(folder, file));

/** Pages are not dated: a build gives the same ones whenever it is run. The line of a name stays one. */
const meant = /missing date|text line longer than 80 bytes: authcli/;

describe('manual pages', () => {
  it('are there for the program and every command', () => {
    const names = commands.map(({ path }) => `authcli-${path.replaceAll(' ', '-')}.1`);
    assert.deepEqual(readdirSync(folder).sort(), ['authcli.1', ...names].sort());
  });

  it('are in order for mandoc', () => {
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-W', 'style', ...files], {
      encoding: 'utf8',
    });
    assert.deepEqual(
      stdout.split('\n').filter((line) => line !== '' && !meant.test(line)),
      [],
    );
  });

  it('show examples and options as they are typed', () => {
    const page = join(folder, 'authcli-cipher-probe.1');
    const { stdout, status } = spawnSync('mandoc', ['-Tutf8', page], { encoding: 'utf8' });
    assert.equal(status, 0);
    const text = stdout.replaceAll(/.[\b]/gu, ''); // bold and underlined letters are struck over
    assert.match(text, /authcli cipher probe --url http:\/\/localhost:8080\/callback/);
    assert.ok(text.includes(`authcli emulate app --cipher 'aes-256-gcm' -- authcli cipher probe`));
    assert.match(text, /--client-id id\n/);
  });
});
