import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const source = (name: string) => fileURLToPath(new URL(`../peers/${name}`, import.meta.url));
const gson = '/usr/share/java/gson.jar';

export const languages = ['python', 'java'] as const;
export type Language = (typeof languages)[number];

/** What a peer gets of a combination; both sides get the same. */
export interface Spec {
  /** In the full notation. */
  readonly cipher: string;
  /** What the application decrypts with, where that is another one. */
  readonly application_cipher?: string;
  /** How the user information is written. */
  readonly format: string;
  readonly zone: string;
  /** Seconds that an access token lives. */
  readonly ttl: number;
  /** How `public_key` is written. */
  readonly form: string;
  /** PKCS#8 in Base64. */
  readonly private_key: string;
  /** Per-user keys are derived from it. */
  readonly seed: string;
  readonly client_id: string;
  readonly secret_key: string;
  readonly users: readonly Readonly<
    Record<'ptn_cd' | 'passcode' | 'email' | 'name' | 'phone', string>
  >[];
  /** What the application does wrong; empty for nothing. */
  readonly fault: string;
}

type Job =
  | { readonly do: 'begin'; readonly spec: Spec }
  | { readonly do: 'sign-up'; readonly spec: Spec; readonly to: string }
  | { readonly do: 'sign-in'; readonly to: string }
  | { readonly do: 'end'; readonly role: 'service' | 'application' };

interface Result {
  readonly id: number;
  readonly error?: string;
  readonly log?: readonly unknown[];
}

/** A process by other hands that plays the service, the application or both, for many combinations. */
export class Peer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (result: Result) => void>();
  readonly #folder: string | undefined;
  #port = 0;
  #count = 0;

  private constructor(child: ChildProcess, folder?: string) {
    this.#child = child;
    this.#folder = folder;
  }

  /** Starts one; Java is compiled first. */
  static async start(language: Language): Promise<Peer> {
    if (language === 'python') return new Peer(spawned('python3', [source('peers.py')])).#ready();
    const folder = mkdtempSync(join(tmpdir(), 'authcli-peers-'));
    const compiled = spawnSync('javac', ['-cp', gson, '-d', folder, source('Peers.java')]);
    if (compiled.status !== 0) throw new Error(`javac: ${compiled.stderr}`);
    const argv = ['-XX:TieredStopAtLevel=1', '-cp', `${folder}:${gson}`, 'Peers'];
    return new Peer(spawned('java', argv), folder).#ready();
  }

  /** Where it listens. */
  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** @param name of a run of a combination */
  async work(name: string, job: Job): Promise<readonly unknown[]> {
    this.#count += 1;
    const id = this.#count;
    const result = await new Promise<Result>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.stdin?.write(`${JSON.stringify({ id, name, ...job })}\n`);
    });
    if (result.error !== undefined) throw new Error(`${name} ${job.do}: ${result.error}`);
    return result.log ?? [];
  }

  /** Ends it; only what it still does for a job is cut off. */
  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true });
  }

  #ready(): Promise<Peer> {
    const { stdout } = this.#child;
    if (stdout === null) throw new TypeError('without a pipe');
    return new Promise((resolve, reject) => {
      this.#child.once('exit', (code) => {
        reject(new Error(`A peer ended with ${code}.`));
        for (const [id, settle] of this.#waiting) settle({ id, error: `ended with ${code}` });
      });
      createInterface(stdout).on('line', (line) => {
        const said = JSON.parse(line);
        if (said.id === undefined) this.#port = said.port;
        if (said.id === undefined) resolve(this);
        this.#waiting.get(said.id)?.(said);
        this.#waiting.delete(said.id);
      });
    });
  }
}

function spawned(command: string, argv: readonly string[]): ChildProcess {
  return spawn(command, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
}
