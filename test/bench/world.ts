import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from './measure.ts';

const bin = resolve('bin/authcli.js');

/** Where the benchmarks run: a folder of their own, and the emulators that they talk to. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'authcli-bench-'));
  /** The start of Node itself, of which every command's start is a multiple. */
  readonly floor: Command;
  readonly #node: string;
  readonly #children: ChildProcess[] = [];
  #application: Promise<string> | undefined;
  readonly #lean = new Map<string, Promise<string>>();

  constructor(node: string) {
    this.#node = node;
    this.floor = { argv: [node, '-e', '0'] };
  }

  /** A command line of authcli with a config file of its own. */
  authcli(words: readonly string[], config = 'default'): Command {
    return { argv: [this.#node, bin, ...words], env: { AUTHCLI_CONFIG: this.configFile(config) } };
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
  leanApplication(ptnSp = ''): Promise<string> {
    const known = this.#lean.get(ptnSp);
    if (known !== undefined) return known;
    const started = this.#startLean(ptnSp);
    this.#lean.set(ptnSp, started);
    return started;
  }

  async #startLean(ptnSp: string): Promise<string> {
    const argv = [this.#node, '--import', 'tsx', 'test/bench/lean-application.ts', ptnSp];
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
    const { argv, env } = this.authcli(['emulate', side, '--json', ...flags], config);
    const [command = '', ...args] = argv;
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return (JSON.parse(line.toString().split('\n', 1)[0] ?? '') as { url: string }).url;
  }

  /** A config file that knows so many users, `user-0` and on. */
  knowUsers(config: string, count: number, key?: string): void {
    const file = join(this.folder, `${config}.jsonl`);
    const rows = Array.from({ length: count }, (_, index) =>
      JSON.stringify({
        ptn_cd: `user-${index}`,
        key: key ?? randomBytes(16).toString('hex'),
        super_passcode: `passcode-${index}`,
      }),
    );
    writeFileSync(file, `${rows.join('\n')}\n`);
    this.output(['users', 'import', file], config);
  }

  close(): void {
    for (const child of this.#children) child.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
