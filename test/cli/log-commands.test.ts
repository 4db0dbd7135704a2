import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { breakLogCommands, readsCommands } from '../../src/cli/process/log-commands.ts';
import { jsonDocument } from '../../src/reports/json.ts';
import { fc } from '../support/fast-check.ts';

/** As actions/runner's ActionCommand.TryParseV2 and TryParse read a line, for any name of a command. */
function commandOf(line: string): string | undefined {
  const trimmed = line.trimStart();
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

const attacks = [
  '##[set-output name=a]b',
  'x ##[add-path]/tmp',
  '::stop-commands::token',
  '  \t ::set-env name=A::b',
  'ok\n::add-mask::x',
  '##vso[task.setvariable variable=a]b',
  "##teamcity[buildStatus status='SUCCESS']",
  'section_start:1700000000:a\r\u001b[0K',
  '###[group]',
];

describe('what a CI system reads', () => {
  it('is known by its variables', () => {
    for (const name of ['GITHUB_ACTIONS', 'TF_BUILD', 'GITLAB_CI', 'TEAMCITY_VERSION'])
      assert.equal(readsCommands({ [name]: 'true' }), true);
    assert.equal(readsCommands({ CI: 'true', GITHUB_ACTIONS: '' }), false);
  });

  for (const attack of attacks) {
    it(`has no command in ${JSON.stringify(attack)}`, () => {
      assert.notDeepEqual(commandsIn(attack), [], 'it is one before');
      assert.deepEqual(commandsIn(breakLogCommands(attack, true)), []);
    });
  }

  it('has none in any text', () => {
    const parts = fc.constantFrom(
      '#',
      '##[',
      '::',
      ' ',
      '\n',
      '\t',
      'a',
      ']',
      '##vso[',
      '\u00a0',
      '\r',
      'section_end:1:',
    );
    fc.assert(
      fc.property(
        fc.array(parts).map((each) => each.join('')),
        (text) => {
          assert.deepEqual(commandsIn(breakLogCommands(text, true)), []);
        },
      ),
    );
  });

  it('has the annotations of --format github as they are', () => {
    const line = '::error title=key-exchange/tls::It is [not] encrypted%0A##';
    assert.equal(breakLogCommands(`${line}\n`, true), `${line}\n`);
  });

  it('has the same values in a JSON document', () => {
    const document = jsonDocument({ message: attacks });
    assert.deepEqual(JSON.parse(breakLogCommands(document, true)), { message: attacks });
    assert.deepEqual(commandsIn(breakLogCommands(document, true)), []);
  });
});
