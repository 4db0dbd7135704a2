import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { Journal, type JournalEntry } from '../../src/emulator/journal.ts';
import { json, keyExchange, newApplication, openly, post } from './support.ts';

function newEmulator(latencyMs?: number) {
  const { application, call } = newApplication();
  const { environment, faults } = application;
  const shown: JournalEntry[] = [];
  const hidden: string[] = [];
  const journal = new Journal({
    redaction: {
      ...openly,
      hide: (secrets) => hidden.push(...secrets.map((secret) => secret.reveal())),
    },
  });
  const handle = createEmulator({
    handler: call,
    control: { side: 'application', journal, faults },
    environment,
    latencyMs,
    onExchange: (entry) => shown.push(entry),
  });
  return { application, handle, journal, shown, hidden };
}

const health = {
  ...post(''),
  method: 'GET',
  path: '/_authcli/health',
  headers: { host: 'localhost' },
  peer: '127.0.0.1',
};

describe('an emulator', () => {
  it('responds to, records and reports a call of the interface', async () => {
    const { application, handle, journal, shown, hidden } = newEmulator();
    const response = await handle(keyExchange());
    assert.equal(json(response).code, '0000');
    assert.equal(response.delivery, undefined);
    assert.equal(journal.total, 1);
    assert.deepEqual(shown, journal.read());
    const [entry] = shown;
    assert.equal(entry?.ptn_cd, 'user-1');
    assert.deepEqual(hidden, [application.users.get('user-1')?.key.reveal()]);
  });

  it('responds to control paths itself, unrecorded', async () => {
    const { handle, journal, shown } = newEmulator(50);
    const response = await handle(health);
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
