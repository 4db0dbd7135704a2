import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';

const bin = resolve('bin/authcli.js');
/** Several times the capacity of a pipe. */
const long = [bin, 'commands', '--json'] as const;
const whole = spawnSync(process.execPath, long, { maxBuffer: 1e8 }).stdout;

describe('standard output', () => {
  it('is whole where the pipe must not be waited for, as another process has set it', () => {
    assert.ok(whole.length > 300_000);
    // Node sets O_NONBLOCK on a pipe when it opens it as a stream, for all that hold it.
    const outer = `process.stdout.write('');
      require('node:child_process').spawnSync(process.execPath, ${JSON.stringify(long)}, { stdio: 'inherit' });`;
    const slowly = ['-c', '"$0" -e "$1" | { sleep 1; cat; }', process.execPath, outer];
    const { stdout } = spawnSync('sh', slowly, { maxBuffer: 1e8 });
    assert.ok(stdout.equals(whole));
  });

  it('goes to a file as a whole, and ends without a word where it is closed', () => {
    const file = 'file=$(mktemp) && "$@" > "$file" && cat "$file"; rm "$file"';
    const shell = ['sh', process.execPath, ...long];
    const { stdout } = spawnSync('sh', ['-c', file, ...shell], { maxBuffer: 1e8 });
    assert.ok(stdout.equals(whole));
    const { status, stderr } = spawnSync('sh', ['-c', '"$@" >&-', ...shell], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

  it('keeps no server from responding, nor from ending, while nothing reads it', {
    timeout: 60_000,
  }, async () => {
    const server = spawn(process.execPath, [bin, 'emulate', 'app', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      server.stdout.pause();
      const { url } = JSON.parse(line.toString().split('\n', 1)[0] ?? '') as { url: string };
      // More than a pipe, a socket and Node buffer together; in few requests, which take long on a busy machine.
      for (let sent = 0; sent < 50; sent += 1) {
        const body = JSON.stringify({ used_type: '1', filler: 'x'.repeat(60_000) });
        await (await fetch(url, { method: 'POST', body })).text();
      }
      server.kill();
      const [, signal] = (await once(server, 'exit')) as [number | null, NodeJS.Signals | null];
      assert.equal(signal, 'SIGTERM'); // by which a process ends that is held
    } finally {
      server.kill('SIGKILL');
      server.stdout.destroy();
    }
  });
});
