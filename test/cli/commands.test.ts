import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands } from '../../src/cli/commands/index.ts';
import type { CommandDescription } from '../../src/cli/terminal/help.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { violations } from '../support/json-schema.ts';
import { schemaOf, workspace } from './workspace.ts';

const { cli, cliJson } = workspace();
const print = async (line: string) => (await cli(line.split(' '))).stdout;
const document = (await cliJson(['commands'])).json;
const byName = new Map<string, CommandDescription>(
  document.commands.map((each: CommandDescription) => [each.name, each]),
);
const paths = commands.map(({ path }) => path);

describe('commands', () => {
  it('are listed with what they do, and described as schemas/commands-1.json says', async () => {
    const lines = commands.map(({ path, summary }) => `${path.padEnd(22)} ${summary}`);
    assert.deepEqual((await print('commands')).trimEnd().split('\n'), lines);
    assert.deepEqual(violations(document, schemaOf('commands')), []);
    assert.deepEqual([...byName.keys()], paths);
    assert.deepEqual(byName.get('cipher probe')?.exclusive, [['--user-info', '--no-user-info']]);
  });

  type Row = readonly [command: string, option: string, described: object];
  for (const [command, option, described] of fixtureRows<Row>('readings/options.jsonl')) {
    it(`say of ${command} ${option}: ${Object.keys(described)}`, () => {
      const found = byName.get(command)?.options.find(({ name }) => name === option);
      assert.deepEqual({ ...found, ...described }, found);
    });
  }

  it('have the exit codes that they can end with', () => {
    const codes = (name: string) => byName.get(name)?.exit_codes ?? [];
    const statuses = (name: string) => codes(name).map(({ status }) => status);
    assert.deepEqual(statuses('verify'), [0, 1, 2, 3, 4, 70, 130, 143]);
    assert.deepEqual(statuses('key wrap'), [0, 1, 2, 4, 70, 130, 143]);
    assert.match(codes('verify')[1]?.meaning ?? '', /other side/);
    assert.doesNotMatch(codes('key wrap')[1]?.meaning ?? 'other side', /other side/);
  });

  it('are in --help, which fits a screen: by name, or in the line of their group', async () => {
    const overview = (await print('--help')).trimEnd();
    assert.ok(overview.split('\n').length <= 40, overview);
    for (const path of paths) {
      const [group = '', member = ''] = path.split(' ');
      const named = new RegExp(`[ :]${path}(?:[ ,.]|$)|^  ${group} ….*[:,] ${member}\\b`, 'm');
      assert.match(overview, named, path);
    }
  });

  it('have a help of at most 70 lines; --all adds notes, shared options and where values come from', async () => {
    const short = await print('verify --help');
    assert.ok(short.split('\n').length <= 70, short);
    assert.match(short, /^Common options: .*--timeout, [\s\S]*^More: authcli verify --help --all/m);
    assert.doesNotMatch(short, /AUTHCLI_URL|^ {2}--timeout/m);
    const whole = await print('verify --help --all');
    assert.match(whole, /^Network:\n {2}--timeout <duration> +total time limit per request/m);
    assert.match(whole, /AUTHCLI_URL[\s\S]*^--every repeats the run for operations/m);
    const variables = (await print('help environment')).match(/^ {2}AUTHCLI_[A-Z_]+ /gm);
    assert.equal(variables?.length, 19);
    const options = await print('help options');
    assert.match(options, /^ {2}--timeout[\s\S]*^ {2}--json +print one JSON/m);
  });
});
