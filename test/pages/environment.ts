import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../support/free-port.ts';

/*
 * The empty folder in which a reader types what a page says: authcli is installed, nothing else is
 * set, and what the page starts is ended with it. Ports 8080 and 8081 of the page are free ones
 * here, so that pages don't meet each other, or what else listens on the machine.
 */

/** What a command printed, both streams in their order, and how it ended. */
export interface Ended {
  readonly status: number | null;
  readonly printed: string;
}

/** Bounds a block, should it hang. */
const longestMs = 180_000;

export class ReaderEnvironment {
  readonly folder = mkdtempSync(join(tmpdir(), 'authcli-page-'));
  readonly #ports = new Map<string, number>();
  readonly #started: ChildProcess[] = [];

  static async open(): Promise<ReaderEnvironment> {
    const environment = new ReaderEnvironment();
    for (const port of ['8080', '8081', '8089']) environment.#ports.set(port, await freePort());
    environment.#install();
    return environment;
  }

  /** The text with the ports of this environment. */
  here(text: string): string {
    return text.replace(/\b808[019]\b/g, (port) => String(this.#ports.get(port) ?? port));
  }

  /** Runs a script of bash; what it leaves running is ended with this environment. */
  async run(script: string, cwd = '.'): Promise<Ended> {
    const child = spawn('bash', ['-c', `exec 2>&1\n${preamble}\n${this.here(script)}`], {
      cwd: join(this.folder, cwd),
      env: this.#env(),
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#started.push(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    clearTimeout(timer);
    // What is left running holds the pipe open, so its end isn't waited for; a turn lets it empty.
    await new Promise((done) => setTimeout(done, 50));
    return { status, printed };
  }

  close(): void {
    for (const { pid } of this.#started) {
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      } catch {
        // all of it has ended
      }
    }
    for (const { stdout } of this.#started) stdout?.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #install(): void {
    const bin = join(this.folder, '.bin');
    mkdirSync(bin);
    const authcli = `exec ${process.execPath} ${resolve('bin/authcli.js')} "$@"`;
    this.#write('.bin/authcli', authcli);
    this.#write(
      '.bin/npx',
      `export npm_command=exec\n[ "$1" = --yes ] && shift\nshift\n${authcli}`,
    );
    // Packages that a reader made or has the URL of are this very package, and a clone's packages are here.
    const link = `mkdir -p node_modules && ln -sfn ${resolve('.')} node_modules/authcli`;
    this.#write(
      '.bin/npm',
      `case "$*" in 'install --save-dev ./authcli-*.tgz' | 'install --save-dev git+https://'*) ${link} ;; ci) ;; *) exit 1 ;; esac`,
    );
    // Ends Node's search for the package of a file here, which a manifest further up would else be.
    writeFileSync(join(this.folder, 'package.json'), '{}\n');
    cpSync('examples', join(this.folder, 'examples'), { recursive: true });
    // The reader's own server and sign-in, as the page about pipelines calls them.
    const server = `PORT=\${PORT:-8080} exec ${process.execPath} ${resolve('examples/node/http.mjs')}`;
    this.#write('start-my-application', this.here(server));
    mkdirSync(join(this.folder, 'scripts'));
    const program = resolve('test/interop/node/sign-in.mjs');
    const signIn = `import(${JSON.stringify(pathToFileURL(program))});`;
    writeFileSync(join(this.folder, 'scripts', 'sign-in.js'), signIn);
  }

  #write(file: string, script: string): void {
    writeFileSync(join(this.folder, file), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }

  #env(): NodeJS.ProcessEnv {
    const port = this.here('8080');
    return {
      PATH: `${join(this.folder, '.bin')}:${process.env.PATH}`,
      HOME: this.folder,
      TMPDIR: this.folder,
      AUTHCLI_CONFIG: join(this.folder, 'config', 'config.json'),
      PORT: port,
      AUTH_URL: `http://127.0.0.1:${this.here('8081')}`,
      CALLBACK_URL: `http://localhost:${this.here('8089')}/callback`,
      MY_SECRET_KEY: 'a-secret-of-the-reader',
    };
  }
}

/** Commands that keep running are begun so, and waited for until they say that they listen. */
const preamble = `
set -euo pipefail
keeps_running() {
  local log kept; log=$(mktemp); kept=$HOME/.kept$(grep -oE -- '--port [0-9]+' <<<"$*" | tr -d ' ' || true)
  if [ -e "$kept" ]; then kill "$(cat "$kept")"; while kill -0 "$(cat "$kept")" 2>/dev/null; do sleep 0.05; done; fi
  "$@" >"$log" 2>&1 &
  case $kept in *--port*) echo $! >"$kept" ;; esac
  for _ in $(seq 400); do
    if grep -qiE 'listening|relaying|started' "$log"; then return 0; fi
    if ! kill -0 $! 2>/dev/null; then cat "$log"; return 1; fi
    sleep 0.05
  done
  cat "$log"; return 1
}
exits() {
  local expected=$1 status=0; shift
  bash -o pipefail -c "$1" || status=$?
  if [ "$status" -ne "$expected" ]; then echo "exit status $status, not $expected"; exit 99; fi
}
`;
