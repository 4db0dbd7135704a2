import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from './measure.ts';

/** authcli run by one Node, with a folder for its files, and the servers that it talks to. */
export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), 'authcli-bench-'));
  /** The start of Node itself, of which every command's start is a multiple. */
  readonly floor: Command;
  readonly #node: string;
  readonly #bin: string;
  readonly #children: ChildProcess[] = [];
  readonly #started = new Map<string, Promise<string>>();

  constructor(node: string, bin: string) {
    this.#node = node;
    this.#bin = bin;
    this.floor = { argv: [node, '-e', '0'] };
  }

  /** A command line of authcli with a config file of its own. */
  authcli(words: readonly string[], config = 'default'): Required<Command> {
    const cache = { XDG_CACHE_HOME: join(this.folder, 'cache') };
    const env = { AUTHCLI_CONFIG: this.configFile(config), ...cache };
    return { argv: [this.#node, this.#bin, ...words], env };
  }

  configFile(name: string): string {
    return join(this.folder, name, 'config.json');
  }

  /** What a command line prints. */
  output(words: readonly string[], config = 'default'): string {
    const { argv, env } = this.authcli(words, config);
    const [command = '', ...args] = argv;
    return execFileSync(command, args, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trimEnd();
  }

  /** The key pair of the service: two files, and the text of the public key. */
  keyPair() {
    const folder = join(this.folder, 'keys');
    if (!existsSync(folder)) this.output(['key', 'pair', '--out', folder]);
    const publicKey = join(folder, 'public_key.txt');
    const text = readFileSync(publicKey, 'utf8').trimEnd();
    return { privateKey: join(folder, 'private_key.pem'), publicKey, text };
  }

  /** The callback URL of an application on loopback. */
  application(): Promise<string> {
    return this.#once('application', () => this.emulate('application'));
  }

  /** The URL of an application that costs next to nothing, on a core of its own where that can be said. */
  minimalApplication(): Promise<string> {
    const argv = [this.#node, '--import', 'tsx', 'test/bench/minimal-application.ts'];
    const isPinned = spawnSync('taskset', ['--version']).error === undefined;
    const pinned = isPinned ? ['taskset', '-c', '0', ...argv] : argv;
    return this.#once('minimal', () => this.#spawn({ argv: pinned }));
  }

  #once(name: string, start: () => Promise<string>): Promise<string> {
    const url = this.#started.get(name) ?? start();
    this.#started.set(name, url);
    return url;
  }

  /** Starts an emulated application; its URL. */
  async emulate(config: string): Promise<string> {
    return (await this.start<{ readonly url: string }>(['emulate', 'app', '--json'], config)).url;
  }

  /** Starts a command that runs until it is ended; what it prints first, as JSON. */
  async start<Event>(words: readonly string[], config: string): Promise<Event> {
    return JSON.parse(await this.#spawn(this.authcli(words, config)));
  }

  async #spawn({ argv, env }: Command): Promise<string> {
    const [command = '', ...args] = argv;
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#children.push(child);
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    return printed.toString().split('\n', 1)[0] ?? '';
  }

  /** A config file with that many users, `user-0` and on. */
  knowUsers(config: string, count: number): void {
    const file = join(this.folder, `${config}.jsonl`);
    const rows = Array.from({ length: count }, (_, index) => {
      const user = { ptn_cd: `user-${index}`, super_passcode: `passcode-${index}` };
      return JSON.stringify({ ...user, key: randomBytes(16).toString('hex') });
    });
    // An import takes at most 4 MiB.
    for (let from = 0; from < rows.length; from += 20_000) {
      writeFileSync(file, `${rows.slice(from, from + 20_000).join('\n')}\n`);
      this.output(['users', 'import', file], config);
    }
  }

  /** Ends the servers, which write to the cache folder until they have exited, and removes the folder. */
  async close(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
