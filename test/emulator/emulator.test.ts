import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { Journal, type JournalEntry } from '../../src/emulator/journal.ts';
import { json, keyExchange, newApplication, openly, post } from './support.ts';

function newEmulator(latencyMs?: number) {
  const { application, call } = newApplication();
  const { environment, faults } = application;
  const shown: JournalEntry[] = [];
  const journal = new Journal({ redaction: openly });
  const handle = createEmulator({
    handler: call,
    control: { side: 'application', journal, faults },
    environment,
    latencyMs,
    onExchange: (entry) => shown.push(entry),
  });
  return { application, handle, journal, shown };
}

describe('an emulator', () => {
  it('responds to, records and reports a call of the interface', async () => {
    const { handle, journal, shown } = newEmulator();
    const response = await handle(keyExchange());
    assert.equal(json(response).code, '0000');
    assert.equal(response.delivery, undefined);
    assert.equal(journal.total, 1);
    assert.deepEqual(shown, journal.read());
    assert.equal(shown[0]?.ptn_cd, 'user-1');
  });

  it('responds to control paths itself, unrecorded', async () => {
    const { handle, journal, shown } = newEmulator(50);
    const health = { method: 'GET', path: '/_authcli/health', headers: { host: 'localhost' } };
    const response = await handle(post('', { ...health, peer: '127.0.0.1' }));
    assert.equal(json(response).ok, true);
    assert.deepEqual([journal.total, shown.length, response.delivery], [0, 0, undefined]);
  });

  it('is late with its responses by the latency, beside what a fault adds', async () => {
    const { application, handle } = newEmulator(50);
    assert.deepEqual((await handle(keyExchange())).delivery, { delayMs: 50 });
    application.faults.switchOn({ name: 'slow' });
    assert.deepEqual((await handle(keyExchange())).delivery, { delayMs: 4050 });
  });
});
