import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { workspace } from '../cli/workspace.ts';
import { startHandWritten } from '../support/hand-written-application.ts';
import type { RunEnvironment } from '../support/run.ts';

const { path, freshConfig, cli } = workspace();
const passcode = 'q9 z7'; // so short that it isn't found once it is broken
const name = 'Anna Maria Lovelace Byron';
const given = ['--super-passcode', passcode, '--name', name];
const message = `stored the ${`passcode ${passcode} of ${name}, `.repeat(4)}but failed to index it`;

/** A terminal with colours, so that control sequences are between the lines of a text too. */
const terminal = (columns: number): Partial<RunEnvironment> => ({
  isTerminal: true,
  columns,
  env: { FORCE_COLOR: '1' },
  configFile: freshConfig(),
});

/** Runs a command that listens while `use` sends something there; returns all it printed. */
async function whileRunning(
  argv: readonly string[],
  use: (url: string) => Promise<unknown>,
  environment: Partial<RunEnvironment>,
): Promise<string> {
  const stop = new AbortController();
  let ended: Promise<string> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const onStdout = (text: string) => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+(?:\/callback)?/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    };
    const running = cli(argv, { ...environment, signal: stop.signal, onStdout });
    ended = running.then(({ stdout, stderr }) => stdout + stderr);
    ended.then((text) => reject(new Error(`It ended: ${text}`)), reject);
  });
  await use(url);
  stop.abort(new AuthcliError('interrupted', 'Interrupted.'));
  return ended ?? assert.fail();
}

const signUp = (url: string) =>
  cli(['simulate-signup', '--url', url, '--ptn-cd', 'anna', ...given], {
    configFile: freshConfig(),
  });

const orderSignup = (url: string) =>
  fetch(`${url}/_authcli/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ptn_cd: 'anna', super_passcode: passcode, name }),
  });

describe('an application that repeats a passcode and a name with spaces', () => {
  it('has them printed on no terminal, however narrow', async () => {
    const application = await startHandWritten({
      respond: (usedType, right) =>
        usedType === '1' ? right : JSON.stringify({ code: '9999', message }),
    });
    const { href } = application.url;
    const record = ['--record', path('session.jsonl'), '--show-secrets'];
    await whileRunning(['relay', '--to', href, ...record, '--decrypt'], signUp, terminal(80));
    const leaks: string[] = [];
    for (let columns = 40; columns <= 80; columns += 8) {
      const onTerminal = (argv: readonly string[]) =>
        cli(argv, terminal(columns)).then(({ stdout, stderr }) => stdout + stderr);
      const printed = {
        relay: await whileRunning(['relay', '--to', href, '--decrypt'], signUp, terminal(columns)),
        'emulate service': await whileRunning(
          ['emulate', 'service', '--callback-url', href],
          orderSignup,
          terminal(columns),
        ),
        'simulate-signup': await onTerminal(['simulate-signup', '--url', href, ...given]),
        analyze: await onTerminal(['analyze', path('session.jsonl')]),
      };
      for (const [command, text] of Object.entries(printed)) {
        assert.match(text, /stored\s+the/, command);
        if (/q9\s+z|Maria|Lovelace/.test(text)) leaks.push(`${command} ${columns}: ${text}`);
      }
    }
    await application.close();
    assert.deepEqual(leaks, []);
  });
});
