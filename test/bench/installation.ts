import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  #application: Promise<string> | undefined;
  readonly #minimal = new Map<string, Promise<string>>();

  constructor(node: string, bin: string) {
    this.#node = node;
    this.#bin = bin;
    this.floor = { argv: [node, '-e', '0'] };
  }

  /** A command line of authcli with a config file of its own. */
  authcli(words: readonly string[], config = 'default'): Command {
    const env = {
      AUTHCLI_CONFIG: this.configFile(config),
      XDG_CACHE_HOME: join(this.folder, 'cache'),
    };
    return { argv: [this.#node, this.#bin, ...words], env };
  }

  configFile(name: string): string {
    return join(this.folder, name, 'config.json');
  }

  /** What a command line prints. */
  output(words: readonly string[], config = 'default'): string {
    const { argv, env } = this.authcli(words, config);
    const [command = '', ...args] = argv;
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync(command, args, { env: { ...process.env, ...env }, stdio: [...stdio] })
      .toString()
      .trimEnd();
  }

  /** The key pair of the service, as files. */
  keyPair(): { readonly privateKey: string; readonly publicKey: string } {
    const folder = join(this.folder, 'keys');
    if (!existsSync(folder)) this.output(['key', 'pair', '--out', folder]);
    return {
      privateKey: join(folder, 'private_key.pem'),
      publicKey: join(folder, 'public_key.txt'),
    };
  }

  /** The callback URL of an application on loopback. */
  application(): Promise<string> {
    this.#application ??= this.emulate('app', 'application');
    return this.#application;
  }

  /** The URL of an application that costs next to nothing, on a core of its own where that can be said. */
  minimalApplication(ptnSp = ''): Promise<string> {
    const known = this.#minimal.get(ptnSp);
    if (known !== undefined) return known;
    const started = this.#startMinimal(ptnSp);
    this.#minimal.set(ptnSp, started);
    return started;
  }

  async #startMinimal(ptnSp: string): Promise<string> {
    const argv = [this.#node, '--import', 'tsx', 'test/bench/minimal-application.ts', ptnSp];
    const isPinned = spawnSync('taskset', ['--version']).error === undefined;
    const [command = '', ...args] = isPinned ? ['taskset', '-c', '0', ...argv] : argv;
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return line.toString().trim();
  }

  /** Starts an emulator; its URL. */
  async emulate(
    side: 'app' | 'service',
    config: string,
    flags: readonly string[] = [],
  ): Promise<string> {
    const words = ['emulate', side, '--json', ...flags];
    return (await this.start<{ readonly url: string }>(words, config)).event.url;
  }

  /** Starts a command that runs until it is ended; what it prints first, as JSON, and its process. */
  async start<Event>(
    words: readonly string[],
    config: string,
  ): Promise<{ readonly event: Event; readonly child: ChildProcess }> {
    const { argv, env } = this.authcli(words, config);
    const [command = '', ...args] = argv;
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { event: JSON.parse(line.toString().split('\n', 1)[0] ?? '') as Event, child };
  }

  /** A config file with that many users, `user-0` and on. */
  knowUsers(config: string, count: number, key?: string): void {
    const file = join(this.folder, `${config}.jsonl`);
    const rows = Array.from({ length: count }, (_, index) =>
      JSON.stringify({
        ptn_cd: `user-${index}`,
        key: key ?? randomBytes(16).toString('hex'),
        super_passcode: `passcode-${index}`,
      }),
    );
    // An import takes at most 4 MiB.
    for (let from = 0; from < rows.length; from += 20_000) {
      writeFileSync(file, `${rows.slice(from, from + 20_000).join('\n')}\n`);
      this.output(['users', 'import', file], config);
    }
  }

  /** Ends the servers, which write to the cache folder until they have exited, and removes the folder. */
  async close(): Promise<void> {
    await Promise.all(this.#children.map(ended));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}
