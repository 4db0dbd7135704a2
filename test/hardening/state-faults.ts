import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthcliError } from '../../src/errors.ts';
import { openState } from '../../src/state/state.ts';
import type { SectionResult } from './section.ts';
import { trialFolder } from './worker.ts';

const whole = '{"version":1,"profiles":{"default":{"client-id":"shop"}}}';

/** A state of things, how a change of the config file has to end in it, and the text that has to be there. */
interface Fault {
  readonly name: string;
  /** Prepares the folder and gives the config file's path. */
  readonly prepare: (folder: string) => string;
  readonly ends: 'done' | 'config';
}

const write =
  (text: string, mode = 0o600) =>
  (folder: string) => {
    const file = join(folder, 'config.json');
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };

const refused = (name: string, prepare: Fault['prepare']): Fault => ({
  name,
  prepare,
  ends: 'config',
});
const done = (name: string, prepare: Fault['prepare']): Fault => ({ name, prepare, ends: 'done' });

// biome-ignore format: a list of texts
const damages = [
  '{', '[', '[]', 'null', '"text"', '1', 'nonsense', '{"version":1,', '{"version":"x"}',
  '{"version":-1}', '{"version":1.5}', '{"profiles":[]}', '{"profiles":{"default":[]}}',
  '{"profiles":{"default":{"url":1}}}', '{"profiles":{"default":{"headers":"x"}}}',
  '{"activeProfile":7}', `${whole}${whole}`, whole.slice(0, -1), '\u0000', '{"a":\u0001}',
];

const link = (target: string) => (folder: string) => {
  const file = join(folder, 'config.json');
  symlinkSync(target, file);
  return file;
};

const faults: readonly Fault[] = [
  ...damages.map((text) => refused(`damaged: ${JSON.stringify(text)}`, write(text))),
  refused('not UTF-8', (folder) => {
    const file = join(folder, 'config.json');
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
    return file;
  }),
  refused('a newer version', write('{"version":2,"profiles":{}}')),
  refused('a folder in its place', (folder) => {
    const file = join(folder, 'config.json');
    mkdirSync(file);
    return file;
  }),
  refused('a device in its place', () => '/dev/full'),
  refused('a file where its folder should be', (folder) =>
    join(write(whole)(folder), 'config.json'),
  ),
  refused('links in a circle', link('config.json')),
  refused('a name that is too long', (folder) => join(folder, 'n'.repeat(300))),
  done('no file', (folder) => join(folder, 'config.json')),
  done('no folder', (folder) => join(folder, 'a', 'b', 'config.json')),
  done('an empty file', write('')),
  done('loosened permissions', write(whole, 0o666)),
  done('a link to a file', (folder) => {
    writeFileSync(join(folder, 'real.json'), whole, { mode: 0o600 });
    return link('real.json')(folder);
  }),
  done('a link to a file that is still to be made', link('real.json')),
  done('a byte order mark', write(`\ufeff${whole}`)),
];

function contentOf(file: string): string | undefined {
  try {
    return file.startsWith('/dev/') ? undefined : readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

async function endOf(file: string): Promise<string> {
  try {
    const { settings } = openState({
      configFile: file,
      now: Date.now,
      randomBytes,
      os: process.platform,
    });
    await settings.set('timeout', '5s');
    return openState({
      configFile: file,
      now: Date.now,
      randomBytes,
      os: process.platform,
    }).settings.get('timeout') === '5s'
      ? 'done'
      : 'lost';
  } catch (error) {
    return error instanceof AuthcliError ? error.code : String(error);
  }
}

async function problemOf({ prepare, ends }: Fault, folder: string): Promise<string | undefined> {
  const file = prepare(folder);
  const before = contentOf(file);
  const end = await endOf(file);
  if (end !== ends) return `${end} in place of ${ends}`;
  if (ends === 'config' && contentOf(file) !== before) return 'the file was changed';
  const left = spawnSync('find', [folder, '-name', '*.tmp-*', '-o', '-name', '*.lock']).stdout;
  return left.length === 0 ? undefined : `${left.toString().trim()} was left`;
}

/** A change of the config file in every state that it may be found in: done, or refused and nothing changed. */
export async function stateFaults(): Promise<SectionResult> {
  const failures: string[] = [];
  for (const fault of faults) {
    const folder = trialFolder();
    try {
      const problem = await problemOf(fault, folder);
      if (problem !== undefined) failures.push(`${fault.name}: ${problem}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const row = { what: 'state faults', tried: faults.length, outcome: 'handled' };
  return {
    rows: [{ ...row, count: faults.length - failures.length, atLeast: 30 }],
    failures,
  };
}
