import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../support/run.ts';
import type { ReceivingCommand, RunEnvironment } from './commands.ts';
import { type Ended, runProcess } from './ended.ts';
import { judgeEnding, judgeJson } from './judge.ts';
import type { HostileResponse } from './response.ts';

/** The time limit of a request where nothing else ends it, and where something does. */
const briefMs = 300;
const patientMs = 120_000;

/** A folder with what the commands need; `remove` when all is done. */
export class TrialEnvironment implements RunEnvironment {
  readonly #folder = mkdtempSync(join(tmpdir(), 'authcli-hostile-'));
  readonly privateKeyFile = join(this.#folder, 'private.pem');
  readonly configFile = join(this.#folder, 'config.json');
  readonly secretKey = 'a-secret-key-of-the-trials';
  /** The most memory that a process of the trials had. */
  peakBytes = 0;
  #hars = 0;

  constructor() {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(this.privateKeyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), {
      mode: 0o600,
    });
  }

  nextHar(): string {
    this.#hars += 1;
    return join(this.#folder, `${this.#hars}.har`);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function commandLine(
  response: HostileResponse,
  command: ReceivingCommand,
  url: URL,
  environment: TrialEnvironment,
): readonly string[] {
  const timeout = `${response.endless ? briefMs : patientMs}ms`;
  const words = command.name.split(' ');
  const rest = [...command.argv(url, environment), ...(response.argv ?? [])];
  return [...words, ...rest, '--timeout', timeout, '--no-input', '--no-color'];
}

/** Runs the command as a process of its own under --json; what is wrong with how it ended. */
export async function tryAsProcess(
  response: HostileResponse,
  command: ReceivingCommand,
  url: URL,
  environment: TrialEnvironment,
): Promise<readonly string[]> {
  const argv = [...commandLine(response, command, url, environment), '--json'];
  const ended = await runProcess(argv, { AUTHCLI_CONFIG: environment.configFile });
  environment.peakBytes = Math.max(environment.peakBytes, ended.peakBytes ?? 0);
  return [...judgeEnding(ended, response, command), ...judgeJson(ended, response, command)];
}

/** Runs it in this process under --json. */
export async function tryJson(
  response: HostileResponse,
  command: ReceivingCommand,
  url: URL,
  environment: TrialEnvironment,
): Promise<readonly string[]> {
  const ended = await runHere(
    [...commandLine(response, command, url, environment), '--json'],
    environment,
  );
  return [...judgeEnding(ended, response, command), ...judgeJson(ended, response, command)];
}

/** Runs it in this process on a terminal, with everything that it can show; the archive has to be JSON. */
export async function tryOnTerminal(
  response: HostileResponse,
  command: ReceivingCommand,
  url: URL,
  environment: TrialEnvironment,
): Promise<readonly string[]> {
  const har = environment.nextHar();
  const shows = ['--trace', '--curl', '--verbose', '--har', har];
  const argv = [...commandLine(response, command, url, environment), ...shows];
  const ended = await runHere(argv, environment, true);
  const failures = judgeEnding(ended, response, command);
  try {
    const { log } = JSON.parse(readFileSync(har, 'utf8')) as { log: { entries: unknown[] } };
    const isEmpty = log.entries.length === 0 && ended.status !== 3; // doctor sends nothing then
    return isEmpty ? [...failures, 'an empty archive'] : failures;
  } catch (error) {
    return [...failures, `the archive: ${error}`];
  }
}

async function runHere(
  argv: readonly string[],
  { configFile }: RunEnvironment,
  isTerminal = false,
): Promise<Ended> {
  const startedAt = performance.now();
  const { status, stdout, stderr } = await run(argv, { configFile, isTerminal });
  const durationMs = performance.now() - startedAt;
  return { status, stdout: toBytes(stdout), stderr: toBytes(stderr), durationMs };
}

/** As a stream writes it; a lone surrogate would become the replacement character. */
function toBytes(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}
