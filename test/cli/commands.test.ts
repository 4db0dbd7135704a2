import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { commands } from '../../src/cli/commands/index.ts';
import type { CommandDescription } from '../../src/cli/terminal/command-description.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';

const withoutConfig = { configFile: '/no-such-folder/config.json' };
const print = async (line: string) => (await run(line.split(' '), withoutConfig)).stdout;
const schema = JSON.parse(readFileSync('schemas/commands-1.json', 'utf8'));
const document: { readonly commands: readonly CommandDescription[] } = JSON.parse(
  await print('commands --json'),
);
const byName = new Map(document.commands.map((command) => [command.name, command]));
const optionOf = (command: string, name: string) =>
  byName.get(command)?.options.find((option) => option.name === name);
const paths = commands.map(({ path }) => path);

describe('commands', () => {
  it('are listed with what they do, and described as schemas/commands-1.json says', async () => {
    const lines = commands.map(({ path, summary }) => `${path.padEnd(22)} ${summary}`);
    assert.deepEqual((await print('commands')).trimEnd().split('\n'), lines);
    assert.deepEqual(violations(document, schema), []);
    assert.deepEqual([...byName.keys()], paths);
  });

  it('say of an option what it takes and where else it is read from', () => {
    assert.deepEqual(optionOf('simulate-signup', '--client-id'), {
      ...{ name: '--client-id', about: 'the Application Client ID', type: 'string', reads: 'text' },
      ...{ required: false, repeatable: false, secret: false, choices: null, group: 'command' },
      ...{ value: 'id', default: 'authcli-client' },
      ...{ environment: 'AUTHCLI_CLIENT_ID', setting: 'client-id' },
    });
    const { type, environment } = optionOf('verify', '--strict') ?? {};
    assert.deepEqual([type, environment], ['boolean', null]);
    assert.equal(optionOf('verify', '--users')?.type, 'integer');
    assert.equal(optionOf('verify', '--cert-key')?.secret, true);
    assert.equal(optionOf('verify', '--timeout')?.group, 'network');
    assert.equal(optionOf('verify', '--report')?.group, 'output');
    assert.equal(optionOf('verify', '--profile')?.group, 'general');
    assert.deepEqual(byName.get('cipher probe')?.exclusive, [['--user-info', '--no-user-info']]);
  });

  it('have the exit codes that they can end with', () => {
    const statuses = (name: string) => byName.get(name)?.exit_codes.map(({ status }) => status);
    assert.deepEqual(statuses('verify'), [0, 1, 2, 3, 4, 70, 130, 143]);
    assert.deepEqual(statuses('key wrap'), [0, 1, 2, 4, 70, 130, 143]);
    for (const { name, exit_codes } of document.commands) {
      const about = exit_codes.slice(0, 2).map(({ meaning }) => meaning);
      const sends = exit_codes.some(({ status }) => status === 3);
      assert.equal(about.join().includes('other side'), sends, name);
    }
  });

  it('are under a heading of --help, once, or in the line of their group', async () => {
    const [, overview = ''] = (await print('--help')).split('Act as the service:\n');
    const listed = [...overview.matchAll(/^ {2}(\S+(?: [a-z]+)*) *(…?) {2}/gm)];
    for (const path of paths) {
      const covering = listed.filter(([, name, group]) =>
        group === '' ? name === path : path.startsWith(`${name} `),
      );
      assert.equal(covering.length, 1, path);
    }
  });

  it('have a help of at most 70 lines; --all adds notes, shared options and where values come from', async () => {
    const short = await print('verify --help');
    assert.ok(short.split('\n').length <= 70, short);
    assert.match(short, /^Network: --timeout, --retry, [\s\S]*^More: authcli verify --help --all/m);
    assert.doesNotMatch(short, /AUTHCLI_URL|^ {2}--timeout/m);
    const whole = await print('verify --help --all');
    assert.match(whole, /^Network:\n {2}--timeout <duration> +total time limit per request/m);
    assert.match(whole, /AUTHCLI_URL[\s\S]*^--every repeats the run for operations/m);
  });
});
