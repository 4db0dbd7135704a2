import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { isTlsFault } from '../../src/emulator/faults/tls.ts';
import { run } from '../support/run.ts';

const inherited = Object.getOwnPropertyNames(Object.prototype);
const configFile = 'not-there.json';

test('a word that every object inherits is an unknown command, also after help', async () => {
  for (const name of inherited) {
    for (const argv of [[name], ['help', name], [name, '--help'], ['config', name]]) {
      const { status, stderr } = await run(argv, { configFile });
      equal(status, 2, argv.join(' '));
      match(stderr, /^error: Unknown (?:command|help topic) /, argv.join(' '));
    }
    equal(isTlsFault(name), false, name);
  }
});

test('an error while a failure is printed ends in 70, and is printed', async () => {
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        if (name === 'NO_COLOR') throw new RangeError('not for the terminal');
      },
    },
  );
  const { status, stderr } = await run(['nothing'], { configFile, context: { env } });
  equal(status, 70);
  equal(stderr, 'error: This is a bug in authcli: an unexpected RangeError.\n');
});
