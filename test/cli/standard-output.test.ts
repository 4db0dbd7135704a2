import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { breakLogCommands, readsCommands } from '../../src/cli/process/standard-output.ts';
import { jsonDocument } from '../../src/reports/json.ts';
import { fc } from '../support/fast-check.ts';
import { listen } from '../support/fault-server.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { bin, start } from '../support/program.ts';

/** As actions/runner's ActionCommand.TryParseV2 and TryParse read a line, for any name of a command. */
function commandOf(line: string): string | undefined {
  const trimmed = line.replace(/^[\t-\r\u0085\p{Z}]+/u, ''); // what .NET's TrimStart() removes
  if (trimmed.startsWith('::')) {
    const end = trimmed.indexOf('::', 2);
    if (end !== -1) return trimmed.slice(2, end);
  }
  const start = line.indexOf('##[');
  const end = start === -1 ? -1 : line.indexOf(']', start);
  return end === -1 ? undefined : line.slice(start + 3, end);
}

const isAzure = /##vso\[|##teamcity\[/i;
const isGitLab = /section_(?:start|end):\d+:/;

function commandsIn(text: string): readonly string[] {
  return text.split(/\r\n?|\n/).filter((line) => {
    return commandOf(line) !== undefined || isAzure.test(line) || isGitLab.test(line);
  });
}

const attacks = fixtureRows<string>('readings/log-commands.jsonl');

describe('what a CI system reads', () => {
  it('is known by its variables', () => {
    for (const name of ['GITHUB_ACTIONS', 'TF_BUILD', 'GITLAB_CI', 'TEAMCITY_VERSION'])
      assert.equal(readsCommands({ [name]: 'true' }), true);
    assert.equal(readsCommands({ CI: 'true', GITHUB_ACTIONS: '' }), false);
  });

  it('has no command in any text', () => {
    for (const attack of attacks) {
      assert.notDeepEqual(commandsIn(attack), [], 'it is one before');
      assert.deepEqual(commandsIn(breakLogCommands(attack, true)), [], attack);
    }
    const parts = ['\n', '\t', '\u00a0', '\u0085', '\r', ' ', '#', '##[', '::', 'a', ']'];
    const texts = fc.array(fc.constantFrom(...parts, '##vso[', 'section_end:1:'));
    fc.assert(
      fc.property(texts, (text) => {
        assert.deepEqual(commandsIn(breakLogCommands(text.join(''), true)), []);
      }),
    );
  });

  it('has the annotations of --format github as they are, and values of JSON the same', () => {
    const line = '::error title=key-exchange/tls::It is [not] encrypted%0A##';
    assert.equal(breakLogCommands(`${line}\n`, true), `${line}\n`);
    assert.equal(breakLogCommands('::in a line', false), '::in a line');
    const document = breakLogCommands(jsonDocument({ message: attacks }), true);
    assert.deepEqual(JSON.parse(document), { message: attacks });
    assert.deepEqual(commandsIn(document), []);
  });
});

it('the program prints none under a CI system, whatever the other side says', async () => {
  const said = attacks.join('\n');
  const body = JSON.stringify({ code: attacks[0], message: said, result: { [said]: said } });
  const server = await listen(
    createServer((_, response) => response.writeHead(200, { 'x-said': '##[debug]x' }).end(body)),
    'http',
  );
  const argv = [bin, 'simulate-key-exchange', '--url', server.url.href, '--trace', '--verbose'];
  const env = { GITLAB_CI: 'true', AUTHCLI_CONFIG: '/no-such-folder/config.json' };
  const { stdout, stderr } = await start(process.execPath, argv, { env }).ended;
  await server.close();
  assert.deepEqual(commandsIn(`${stdout}\n${stderr}`), []);
  assert.match(stdout, /✗/);
  assert.match(stderr, /set-env/);
});
