import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'relay-process-'));

/** A relay as it is installed, in front of a port at which nothing listens. */
async function start(name: string) {
  const argv = ['bin/authcli.js', 'relay', '--to', 'http://127.0.0.1:9/callback', '--json'];
  const env = { ...process.env, AUTHCLI_CONFIG: join(folder, name) };
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  await once(reader, 'line');
  const { callback_url: url } = JSON.parse(lines[0] ?? '') as { callback_url: string };
  const stop = async (signal: 'SIGINT' | 'SIGTERM') => {
    child.kill(signal);
    const [[status]] = await Promise.all([once(child, 'exit'), once(reader, 'close')]);
    return { status: status as number, last: JSON.parse(lines.at(-1) ?? '') as unknown };
  };
  return { url, stop };
}

const ofNobody = { departures: { service: [], application: [] }, learned: {} };

describe('a relay that a signal ends', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`exits with 0 after ${signal} if nothing was wrong`, async () => {
      const relay = await start(`right-${signal}`);
      const { status, last } = await relay.stop(signal);
      assert.equal(status, 0);
      assert.deepEqual(last, { event: 'summary', exchanges: 0, failed: 0, ...ofNobody });
    });

    it(`exits with 1 after ${signal} if something was`, async () => {
      const relay = await start(`wrong-${signal}`);
      const response = await fetch(relay.url, { method: 'POST', body: '{}' });
      assert.equal(response.status, 502);
      const { status, last } = await relay.stop(signal);
      assert.equal(status, 1);
      assert.deepEqual(last, { event: 'summary', exchanges: 1, failed: 1, ...ofNobody });
    });
  }
});
