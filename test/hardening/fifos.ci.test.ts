import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { always, okResponse, startFaultServer } from '../support/fault-server.ts';
import { bin, start } from '../support/program.ts';
import { settled } from '../support/resources.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-fifos-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const env = { AUTHCLI_CONFIG: join(folder, 'config.json') };

function makeFifo(name: string): string {
  const path = join(folder, name);
  execFileSync('sh', ['-c', `mkfifo ${path}`]);
  return path;
}

const relay = (fifo: string, ...more: string[]) =>
  start(
    process.execPath,
    [bin, 'relay', '--to', 'http://127.0.0.1:9', '--port', '0', '--record', fifo, ...more],
    { env },
  );

describe('a FIFO as the output', () => {
  it('that nobody reads lets a signal end the relay', async () => {
    const running = relay(makeFifo('unread'), '--host', '0.0.0.0');
    await running.says('0.0.0.0'); // the warning comes just before it waits
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).status, 143);
  });

  it('gets the recording once somebody reads it', async () => {
    const fifo = makeFifo('read');
    const running = relay(fifo);
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    await running.says('relaying');
    const bytes = Buffer.alloc(4096);
    const text = bytes.toString('utf8', 0, readSync(reader, bytes));
    assert.match(text, /^\{.*authcli/);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended).status, 0);
    closeSync(reader);
  });

  it('whose reader stops lets callers wait', async (test) => {
    const application = await startFaultServer(always(okResponse('{}')));
    test.after(() => application.close());
    const fifo = makeFifo('stopped');
    const running = relay(fifo, '--to', application.url.href);
    test.after(() => running.child.kill('SIGKILL'));
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const url = await running.says(/http:\S+/);
    let answered = 0;
    const caller = async () => {
      for (; answered < 500; answered += 1) await fetch(url, { method: 'POST', body: url });
    };
    for (let each = 0; each < 8; each += 1) void caller().catch(() => {});
    while (answered < 100) await delay(10);
    assert.ok((await settled(() => answered)) < 450, `${answered} answered`);
    closeSync(reader);
  });
});
