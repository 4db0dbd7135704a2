import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { run } from '../support/run.ts';
import { searchOutput } from '../support/secret-scan.ts';
import type { ReceivingCommand } from './hostile/commands.ts';
import { type Ended, runProcess } from './hostile/ended.ts';
import { judgeEnding, judgeJson } from './hostile/judge.ts';
import { startPeer } from './hostile/peer.ts';
import type { HostileResponse } from './hostile/response.ts';
import { responses } from './hostile/responses.ts';
import type { HardeningOptions, SectionResult } from './section.ts';
import { type HostileProgram, programs } from './signin/programs.ts';
import { rubbishClients } from './signin/rubbish.ts';
import { inParallel } from './worker.ts';

/** Who is tried: every Nth of each kind, and of the addresses. */
export interface Extent {
  readonly programs: readonly HostileProgram[];
  readonly clients: readonly HostileProgram[];
  readonly responses: readonly HostileResponse[];
}

const every = <T>(count: number, items: readonly T[]): readonly T[] =>
  items.filter((_, index) => index % count === 0);

/** The sign-in of an application that is hostile: its program, its address, or its requests. */
export async function signinPeers({ quick }: HardeningOptions): Promise<SectionResult> {
  const cheap = programs.filter(({ name, endless }) => !endless && !/GB/.test(name));
  return trySignins({
    programs: quick ? every(3, cheap) : programs,
    clients: quick ? every(6, rubbishClients) : rubbishClients,
    responses: quick ? every(40, responses) : responses,
  });
}

/** Tries these; each has to end in time, within its memory, with one JSON document and no secret shown. */
export async function trySignins(extent: Extent): Promise<SectionResult> {
  const trials = new Trials();
  try {
    const programRow = await trials.programs('sign-in programs', extent.programs, 25);
    const clientRow = await trials.programs('clients of the emulated service', extent.clients, 35);
    const responseRow = await trials.addresses('sign-in addresses', extent.responses, 400);
    const memory = {
      what: '  processes, and the largest',
      tried: trials.processes,
      outcome: 'MB of memory',
      count: Math.ceil(trials.peakBytes / 2 ** 20),
      atLeast: 100,
    };
    return { rows: [programRow, clientRow, responseRow, memory], failures: trials.failures };
  } finally {
    trials.remove();
  }
}

/** How long a sign-in may take, and one which may not end. */
const patience = '20s';
const brief = '1500ms';
const secretKey = 'the-secret-key-of-the-sign-in-trials';
const key = '0123456789abcdefghijklmnopqrstuv';
const superPasscode = 'the passcode of the trials';
const user = ['--ptn-cd', 'trial-user', '--key', key, '--super-passcode', superPasscode];

/** Both check one right sign-in, and one of them is not satisfied by a program that sends no request. */
const checks = ['accepts-right-sign-in', 'both-calls'].flatMap((id) => ['--check', `signin/${id}`]);

/** A run ends with 1 where the sign-in was wrong, with 3 where nothing responded. */
const verify: ReceivingCommand = {
  name: 'verify',
  argv: () => [],
  mayEnd: () => ({ exits: [0, 1, 3] }),
};
const wrong: ReceivingCommand = { ...verify, mayEnd: () => ({ exits: [1] }) };
const anyResponse: HostileResponse = { name: '', ending: { exit: 'any' }, serve: () => {} };

class Trials {
  readonly #folder = mkdtempSync(join(tmpdir(), 'authcli-signin-trials-'));
  readonly failures: string[] = [];
  processes = 0;
  peakBytes = 0;
  #count = 0;

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async programs(what: string, all: readonly HostileProgram[], atLeast: number) {
    return this.#row(what, all, atLeast, async (program) => [
      ...(await this.#program(program, ['--json'])),
      ...(await this.#program(program, ['--verbose'])),
    ]);
  }

  async addresses(what: string, all: readonly HostileResponse[], atLeast: number) {
    return this.#row(what, all, atLeast, (response) => this.#address(response));
  }

  async #row<T extends { readonly name: string }>(
    what: string,
    all: readonly T[],
    atLeast: number,
    trial: (item: T) => Promise<readonly string[]>,
  ) {
    const before = this.failures.length;
    let handled = 0;
    await inParallel(all, 4, async (item) => {
      const failures = await trial(item);
      if (failures.length === 0) handled += 1;
      else this.failures.push(`${what}, ${item.name}: ${failures.join('; ')}`);
    });
    if (before === this.failures.length && handled < all.length) throw new Error('miscounted');
    return { what, tried: all.length, outcome: 'handled', count: handled, atLeast };
  }

  /** As a process of its own: in JSON, or as on a pipe with all that the program printed. */
  async #program(program: HostileProgram, shows: readonly string[]): Promise<readonly string[]> {
    this.#count += 1;
    const mark = `authcli-trial-${process.pid}-${this.#count}`;
    const file = join(this.#folder, `${mark}.mjs`);
    writeFileSync(file, program.code);
    const timeout = ['--timeout', program.endless ? brief : patience];
    const check = [...checks, ...timeout];
    const argv = ['verify', '--secret-key', secretKey, ...user, ...check, ...shows, '--signin'];
    const env = { AUTHCLI_CONFIG: join(this.#folder, 'config.json'), AUTHCLI_TRIAL_MARK: mark };
    const ended = await runProcess([...argv, '--', process.execPath, file], env);
    return [
      ...(await this.#judge(ended, argv, wrong, anyResponse)),
      ...(program.escapes ? [] : await leftOf(mark)),
    ];
  }

  /** In this process, and every tenth time as one of its own. */
  async #address(response: HostileResponse): Promise<readonly string[]> {
    this.#count += 1;
    const server = await startPeer(response);
    const place = ['--signin-url', server.url.href, '--auth-port', String(await freePort())];
    const timeout = ['--timeout', response.endless ? '300ms' : patience];
    const check = [...checks, ...timeout];
    const account = ['--secret-key', secretKey, ...user];
    const more = response.argv ?? [];
    const argv = ['verify', ...place, ...account, ...check, ...more, '--json', '--no-input'];
    const env = { AUTHCLI_CONFIG: join(this.#folder, 'config.json') };
    try {
      const ended = this.#count % 10 === 0 ? await runProcess(argv, env) : await runHere(argv, env);
      return await this.#judge(ended, argv, verify, response);
    } finally {
      await server.close();
    }
  }

  async #judge(
    ended: Ended,
    argv: readonly string[],
    command: ReceivingCommand,
    response: HostileResponse,
  ): Promise<readonly string[]> {
    if (ended.peakBytes !== undefined) this.processes += 1;
    this.peakBytes = Math.max(this.peakBytes, ended.peakBytes ?? 0);
    const output = `${Buffer.from(ended.stdout)}${Buffer.from(ended.stderr)}`;
    const given = { argv, env: {}, stdin: '', cwd: this.#folder };
    const shown = await searchOutput(given, output).then(
      () => [],
      () => ['a secret is shown'],
    );
    const json = argv.includes('--json') ? judgeJson(ended, response, command) : [];
    return [...judgeEnding(ended, response, command), ...json, ...shown];
  }
}

async function runHere(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const startedAt = performance.now();
  const { status, stdout, stderr } = await run(argv, { configFile: env.AUTHCLI_CONFIG ?? '', env });
  const durationMs = performance.now() - startedAt;
  return { status, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), durationMs };
}

/** Processes of the trial that are left; they are ended. */
async function leftOf(mark: string): Promise<readonly string[]> {
  for (let patienceMs = 2000; patienceMs > 0; patienceMs -= 100) {
    if (marked(mark).length === 0) return [];
    await delay(100);
  }
  const left = marked(mark);
  for (const pid of left) spawnSync('kill', ['-9', pid]);
  return left.length === 0 ? [] : [`${left.length} processes are left`];
}

/** Those whose environment contains the mark; where there is no /proc, none is looked for. */
function marked(mark: string): readonly string[] {
  const all = (() => {
    try {
      return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    } catch {
      return [];
    }
  })();
  return all.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false; // it has ended meanwhile, or is another's
    }
  });
}
