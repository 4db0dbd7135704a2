import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { workspace } from './workspace.ts';

const { path } = workspace();

/** A relay as it is installed, in front of a port at which nothing listens. */
async function start(name: string, ...more: readonly string[]) {
  const to = 'http://127.0.0.1:9/callback';
  const argv = ['bin/authcli.js', 'relay', '--to', to, '--json', ...more];
  const env = { ...process.env, AUTHCLI_CONFIG: path(name) };
  // A file can have 1 KiB: what comes after that can't be written, as on a full disk.
  const words = ['-c', 'ulimit -f 2; exec "$0" "$@"', process.execPath, ...argv];
  const child = spawn('sh', words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const warnings = text(child.stderr);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  await once(reader, 'line');
  const { callback_url: url } = JSON.parse(lines[0] ?? '') as { callback_url: string };
  const stop = async () => {
    child.kill('SIGINT');
    const [[status]] = await Promise.all([once(child, 'exit'), once(reader, 'close')]);
    const last = JSON.parse(lines.at(-1) ?? '') as unknown;
    return { status: status as number, last, lines, warnings: await warnings };
  };
  return { url, stop };
}

const ofNobody = { departures: { service: [], application: [] }, learned: {} };

describe('a relay that a signal ends', () => {
  it('goes on where its recording reaches the end of the disk, and says once what is missing', async () => {
    const recording = path('full.jsonl');
    const relay = await start('full', '--record', recording);
    for (let sent = 0; sent < 4; sent += 1) {
      await fetch(relay.url, { method: 'POST', body: JSON.stringify({ at: 'x'.repeat(400) }) });
    }
    const { status, last, lines, warnings } = await relay.stop();
    assert.deepEqual(
      [status, last],
      [1, { event: 'summary', exchanges: 4, failed: 4, ...ofNobody }],
    );
    assert.equal(lines.filter((line) => line.includes('"event":"exchange"')).length, 4);
    assert.equal(warnings.match(/--record: Can't write /g)?.length, 1);
    assert.match(warnings, /The recording ends before exchange \d; the relay goes on\./);
  });
});
