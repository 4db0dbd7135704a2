import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';
import type { Script } from 'node:vm';

/** What bin/authcli.js loads the program with. */
interface Loader {
  readonly load: (name: string) => object;
  readonly scripts: ReadonlyMap<string, Script>;
  readonly compiledFolder: string;
  readonly joined: (text: string, code: Uint8Array) => Uint8Array;
}

/** Runs a command line and gives what it prints. */
type Run = (...argv: readonly string[]) => Promise<string>;

/**
 * Keeps what V8 makes of the program's files beside them, for this very release of Node: functions
 * are compiled when they are first called, so the commands that pipelines run are run first. Compiled
 * code is for the flags of V8 that it is kept under, and on Node 20 the first request changes one:
 * what a run loads after that is kept with the flag, all else without.
 */
export async function keepCompiledCode(): Promise<void> {
  const require = createRequire(import.meta.url);
  const loader = require('../bin/authcli.js') as Loader;
  const { main } = loader.load('main.cjs') as typeof import('../src/main.ts');
  const flags = watchFlags(() => new Set(loader.scripts.keys()));
  let late: readonly string[] | undefined;
  await runCommands(async (...argv) => {
    const printed = await printedBy(() => main(argv));
    const { before } = flags;
    if (before !== undefined)
      late ??= [...loader.scripts.keys()].filter((name) => !before.has(name));
    return printed;
  });
  const folder = loader.compiledFolder;
  mkdirSync(folder, { recursive: true });
  const keep = (wanted: (name: string) => boolean): void => {
    for (const [name, script] of loader.scripts) {
      if (!wanted(name)) continue;
      const text = readFileSync(join('dist', name), 'latin1');
      const code = script.createCachedData();
      writeFileSync(join(folder, name), loader.joined(text, code));
    }
  };
  keep((name) => late?.includes(name) === true);
  flags.restore();
  keep((name) => late?.includes(name) !== true);
}

/** Sees to V8's flags: what `look` gave just before the first change, and the way back. */
function watchFlags<T>(look: () => T) {
  const { setFlagsFromString, cachedDataVersionTag } = v8;
  const tag = cachedDataVersionTag();
  const flags = {
    before: undefined as T | undefined,
    restore: () => {
      if (flags.before === undefined) return;
      // What the program sets, and two that --liftoff-only implies: their defaults on Node 20.
      for (const flag of [
        '--no-liftoff-only',
        '--wasm-tier-up',
        '--wasm-dynamic-tiering',
        '--baseline-batch-compilation-threshold=4096',
        '--interrupt-budget=67584',
      ]) {
        setFlagsFromString(flag);
      }
      if (cachedDataVersionTag() !== tag) throw new Error("V8's flags are not what they were");
    },
  };
  v8.setFlagsFromString = (flag) => {
    flags.before ??= look();
    setFlagsFromString(flag);
  };
  return flags;
}

async function runCommands(run: Run): Promise<void> {
  process.setMaxListeners(0); // each run listens anew
  const folder = mkdtempSync(join(tmpdir(), 'authcli-build-'));
  forgetSettings();
  process.env.AUTHCLI_CONFIG = join(folder, 'config.json');
  const emulators = [
    ['app', ...client],
    ['service', ...client, ...secret],
  ].map((argv) => spawn(process.execPath, ['bin/authcli.js', 'emulate', ...argv, '--json']));
  try {
    const [application = '', service = ''] = await Promise.all(emulators.map(urlOf));
    const privateKey = await runKeys(run, folder);
    await runSignUps(run, application, privateKey);
    await runSignIn(run, service);
  } finally {
    for (const emulator of emulators) emulator.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const client = ['--client-id', 'build'] as const;
const secret = ['--secret-key', 'build-secret'] as const;

/** What is set for the program here must not reach the commands, nor a proxy the loopback requests. */
function forgetSettings(): void {
  for (const name of Object.keys(process.env)) {
    if (/^AUTHCLI_|_proxy$/i.test(name)) delete process.env[name];
  }
}

/** Runs what is done with keys; the file of a private key. */
async function runKeys(run: Run, folder: string): Promise<string> {
  const key = await run('key', 'generate');
  const payload = await run('encrypt', 'passcode', '--key', key);
  await run('decrypt', payload, '--key', key);
  await run('key', 'pair', '--out', folder);
  const publicKey = `@${join(folder, 'public_key.txt')}`;
  const privateKey = join(folder, 'private_key.pem');
  const wrapped = await run('key', 'wrap', key, '--public-key', publicKey);
  await run('key', 'unwrap', wrapped, '--private-key', privateKey);
  return privateKey;
}

/**
 * Something is saved before, as it is from the first sign-up on: then settings are read before the
 * request. It is done elsewhere, since what saves is loaded after the request alone.
 */
async function runSignUps(run: Run, url: string, privateKey: string): Promise<void> {
  execFileSync(process.execPath, ['bin/authcli.js', 'config', 'set', 'client-id', 'build']);
  const signUp = ['simulate-signup', '--url', url, ...client] as const;
  await run(...signUp, '--ptn-cd', 'alice', '--private-key', privateKey);
  await run(...signUp, '--json');
}

async function runSignIn(run: Run, url: string): Promise<void> {
  const token = await run('issue-ptn-token', '--ptn-cd', 'alice', ...client, ...secret);
  await run('signin', '--ptn-token', token, '--auth-url', url, ...client, ...secret);
}

/** What the emulator says first; it may not start at all where there is no loopback. */
async function urlOf(emulator: ChildProcess): Promise<string> {
  const { stdout } = emulator;
  if (stdout === null) throw new Error('the emulator has no output');
  const signal = AbortSignal.timeout(30_000);
  const ended = once(emulator, 'exit', { signal }).then(() =>
    Promise.reject(new Error('no emulator')),
  );
  const [line] = (await Promise.race([once(stdout, 'data', { signal }), ended])) as [Buffer];
  return (JSON.parse(line.toString().split('\n', 1)[0] ?? '') as { url: string }).url;
}

/** What is written to standard output meanwhile, by its number, without the line end. */
async function printedBy(work: () => Promise<number>): Promise<string> {
  const { writeSync } = fs;
  const printed: Buffer[] = [];
  const keep = (
    descriptor: number,
    bytes: Uint8Array,
    ...where: [offset?: number, length?: number]
  ): number => {
    if (descriptor !== 1) return writeSync(descriptor, bytes, ...where);
    printed.push(Buffer.from(bytes));
    return bytes.length;
  };
  fs.writeSync = keep as typeof writeSync;
  try {
    const status = await work();
    const text = Buffer.concat(printed).toString().trimEnd();
    if (status !== 0) throw new Error(`a command ended with ${status}: ${text}`);
    return text;
  } finally {
    fs.writeSync = writeSync;
  }
}
