import assert from 'node:assert/strict';
import { AuthcliError } from '../../src/errors.ts';
import { type RunEnvironment, type RunResult, run } from '../support/run.ts';
import { workspace } from './workspace.ts';

export const { path, configFile, cli } = workspace();

/** Runs an emulator while `use` talks to it. */
export async function emulated(
  argv: readonly string[],
  use: (url: string) => Promise<void> = async () => {},
  changes: Partial<RunEnvironment> = {},
): Promise<RunResult> {
  const stop = new AbortController();
  let running: Promise<RunResult> | undefined;
  const url = await new Promise<string>((resolve) => {
    running = run(['emulate', ...argv], {
      configFile,
      signal: stop.signal,
      onStdout: (text) => resolve(/http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ''),
      ...changes,
    });
    running.then(() => resolve(''));
  });
  await use(url).finally(() => stop.abort(new AuthcliError('interrupted', 'Interrupted.')));
  return running ?? assert.fail();
}

/** What an endless response contains, up to the place of `end`. */
export async function readUntil({ body }: Response, end: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes(end)) break;
  }
  return text;
}
