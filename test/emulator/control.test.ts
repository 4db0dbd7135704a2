import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { type Control, isControlPath, respondToControl } from '../../src/emulator/control.ts';
import { createEmulator, emulatedApplication } from '../../src/emulator/emulator.ts';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { Journal, type JournalEntry, openly } from '../../src/emulator/journal.ts';
import { AuthcliError } from '../../src/errors.ts';
import { clientId, json, keyExchange, newApplication, stoppedClock } from './support.ts';

const peer = '127.0.0.1';
const headers = { host: '127.0.0.1:8080' };

function control(path: string, method = 'GET', fields?: unknown): EmulatorRequest {
  const [name = '', query = ''] = path.split('?');
  const text = fields === undefined ? '' : JSON.stringify(fields);
  return { method, path: `/_authcli/${name}`, query, headers, peer, body: Buffer.from(text) };
}

function newControl(changes: Partial<Control> = {}) {
  const emulator = newApplication();
  const journal = new Journal(openly);
  const { faults } = emulator.application;
  const reset = () => {};
  const behind: Control = { side: 'application', clientId, journal, faults, reset, ...changes };
  const ask = async (request: EmulatorRequest) => {
    const response = await respondToControl(request, behind);
    return { status: response.status, headers: response.headers, body: json(response) };
  };
  const record = async (request: EmulatorRequest) =>
    journal.record({ ...(await emulator.call(request)), request, receivedAt: 0, durationMs: 0 });
  return { ...emulator, ask, record };
}

describe('the control paths', () => {
  it('say that the emulator runs', async () => {
    const { ask, record, application } = newControl();
    await record(keyExchange());
    application.faults.switchOn({ name: 'hex', times: 2 });
    const { status, body } = await ask(control('health'));
    const running = { ok: true, side: 'application', client_id: clientId, calls: 1 };
    assert.deepEqual([status, body], [200, { ...running, faults: [{ name: 'hex', times: 2 }] }]);
  });

  it('show the journal, filtered', async () => {
    const { ask, record } = newControl();
    for (const user of ['a', 'ユ']) await record(keyExchange(user));
    assert.equal((await ask(control('journal'))).body.total, 2);
    const { body } = await ask(control(`journal?ptn_cd=${encodeURIComponent('ユ')}&last=5`));
    const found = (body.entries as JournalEntry[]).map(({ seq, ptn_cd }) => [seq, ptn_cd]);
    assert.deepEqual(found, [[2, 'ユ']]);
  });

  it('forget the journal, or what earlier requests left behind, and nothing else', async () => {
    let resets = 0;
    const reset = () => {
      resets += 1;
    };
    const { ask, record } = newControl({ reset });
    await record(keyExchange());
    const cleared = await ask(control('journal', 'DELETE'));
    assert.deepEqual(cleared.body, { ok: true, removed: 1 });
    assert.deepEqual((await ask(control('journal'))).body.entries, []);
    await record(keyExchange());
    assert.equal(resets, 0);
    assert.deepEqual((await ask(control('reset', 'POST'))).body, { ok: true });
    assert.equal(resets, 1);
    assert.equal((await ask(control('journal'))).body.total, 2);
  });

  it('list the faults', async () => {
    const { body } = await newControl().ask(control('faults'));
    const [first] = body.available as object[];
    assert.deepEqual(Object.keys(first ?? {}), ['name', 'title', 'check', 'diagnosis']);
  });

  it('switch a fault on for the next calls of one user, and off again', async () => {
    const { ask, send } = newControl();
    const fields = { name: 'code-200', times: 1, ptn_cd: 'a' };
    const on = await ask(control('faults', 'POST', fields));
    assert.deepEqual(on.body, { ok: true, active: [fields] });
    const codes = [];
    for (const user of ['b', 'a', 'a']) codes.push((await send(keyExchange(user))).code);
    assert.deepEqual(codes, ['0000', '200', '0000']);
    for (const name of ['hex', 'slow', 'hex']) await ask(control('faults', 'POST', { name }));
    const off = await ask(control('faults?name=hex', 'DELETE'));
    assert.deepEqual(off.body, { ok: true, removed: 2, active: [{ name: 'slow' }] });
    assert.deepEqual((await ask(control('faults', 'DELETE'))).body.active, []);
  });

  it('say why a sign-up could not run', async () => {
    for (const [code, status] of [
      ['usage', 400],
      ['refused', 502],
    ] as const) {
      const error = { code, message: 'No.', hint: 'Do this.' };
      const signUp = () => Promise.reject(new AuthcliError(code, 'No.', { hint: 'Do this.' }));
      const { body, ...response } = await newControl({ signUp }).ask(control('signup', 'POST'));
      assert.deepEqual([response.status, body], [status, { ok: false, error }]);
    }
  });
});

describe('the control paths refuse', () => {
  const wrong: readonly [string, EmulatorRequest, number, RegExp][] = [
    ['an unknown path', control('nothing'), 404, /Unknown control path/],
    ['a sign-up that nobody does', control('signup', 'POST'), 404, /Unknown control path/],
    ['another method', control('health', 'PUT'), 405, /accepts only GET\./],
    ['no JSON', { ...control('faults', 'POST'), body: Buffer.from('{') }, 400, /one JSON object/],
    ['a large body', { ...control('faults', 'POST', {}), bodyTooLarge: true }, 400, /one JSON/],
    ['no name', control('faults', 'POST', {}), 400, /name must be the name of a fault/],
    ['a number as name', control('faults', 'POST', { name: 1 }), 400, /name must be a string/],
    ['an unknown fault', control('faults', 'POST', { name: 'x!' }), 400, /Unknown fault "x!"/],
    ['times as text', control('faults', 'POST', { name: 'hex', times: '1' }), 400, /times must be/],
    ['no times', control('faults', 'POST', { name: 'hex', times: 0 }), 400, /on for 0 calls/],
    ['a filter that is none', control('journal?last=x'), 400, /last must be a whole number/],
  ];
  for (const [what, request, status, message] of wrong) {
    it(`${what} with ${status}`, async () => {
      const response = await newControl().ask(request);
      assert.equal(response.status, status);
      assert.equal(response.body.ok, false);
      const { error } = response.body as { error: Record<string, string> };
      assert.equal(error.code, 'usage');
      assert.match(error.message ?? '', message);
      if (status === 405) assert.equal(response.headers.allow, 'GET');
    });
  }

  it('nobody the list of paths', async () => {
    for (const path of ['/_authcli/', '/_authcli', '/_authcli/nothing']) {
      const { body } = await newControl().ask({ ...control(''), path });
      const [first, ...others] = body.paths as string[];
      assert.equal(others.length, 6);
      assert.ok(first?.startsWith('GET /_authcli/health: '));
    }
  });

  const host = '127.0.0.1:8080';
  for (const [who, status, changes] of [
    ['another machine', 403, { peer: '192.168.0.7' }],
    ['another machine by IPv6', 403, { peer: '::ffff:10.0.0.1' }],
    ['a caller without an address', 403, { peer: undefined }],
    ['a web page', 403, { headers: { host, origin: 'https://example.com' } }],
    ['a page without an origin', 403, { headers: { host, 'sec-fetch-site': 'cross-site' } }],
    ['a proxy', 403, { headers: { host, 'x-forwarded-for': '203.0.113.7' } }],
    ['a name that was made to point here', 403, { headers: { host: 'rebound.example:8080' } }],
    ['a name that looks like an address', 403, { headers: { host: '127.0.0.1.example.com' } }],
    ['no Host', 403, { headers: {} }],
    ['no caller by a name of this machine', 200, { headers: { host: 'LOCALHOST' } }],
    ['no caller by a name with a port', 200, { headers: { host: 'localhost:80' } }],
    ['no caller by IPv6', 200, { headers: { host: '[::1]:8080' } }],
  ] as const) {
    it(`${who} with ${status}`, async () => {
      const request: EmulatorRequest = { ...control('health'), ...changes };
      const { body, ...response } = await newControl().ask(request);
      assert.equal(response.status, status);
      if (status === 403) assert.deepEqual(Object.keys(body), ['ok', 'error']);
    });
  }
});

it('an emulator records the calls of the interface alone, and is late with their responses', async () => {
  const { environment } = stoppedClock();
  const side = emulatedApplication({ clientId, cipher: defaultCipher }, environment);
  const { faults } = side;
  const shown: JournalEntry[] = [];
  const onExchange = (entry: JournalEntry) => shown.push(entry);
  const options = { redaction: openly, latencyMs: 50, onExchange };
  const { handle, journal } = createEmulator(side, options, environment);
  assert.deepEqual((await handle(keyExchange())).delivery, { delayMs: 50 });
  faults.switchOn({ name: 'slow' });
  assert.deepEqual((await handle(keyExchange())).delivery, { delayMs: 4050 });
  const health = await handle(control('health'));
  assert.deepEqual([json(health).calls, health.delivery], [2, undefined]);
  assert.deepEqual(shown, journal.read());
});

it('a control path is one below /_authcli', () => {
  for (const path of ['/_authcli/', '/_authcli', '/_authcli/x/y']) assert.ok(isControlPath(path));
  for (const path of ['/_authclix', '/a/_authcli/', '/']) assert.ok(!isControlPath(path), path);
});
