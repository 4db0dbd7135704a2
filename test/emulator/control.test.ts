import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Control, isControlPath, respondToControl } from '../../src/emulator/control.ts';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { Journal } from '../../src/emulator/journal.ts';
import { AuthcliError } from '../../src/errors.ts';
import { json, keyExchange, newApplication, openly } from './support.ts';

const peer = '127.0.0.1';
const headers = { host: '127.0.0.1:8080' };

function control(path: string, method = 'GET', fields?: unknown): EmulatorRequest {
  const [name = '', query = ''] = path.split('?');
  const text = fields === undefined ? '' : JSON.stringify(fields);
  return { method, path: `/_authcli/${name}`, query, headers, peer, body: Buffer.from(text) };
}

function newControl(changes: Partial<Control> = {}) {
  const emulator = newApplication();
  const journal = new Journal({ redaction: openly });
  const { faults } = emulator.application;
  const settings = { client_id: 'client-1' };
  const behind: Control = { side: 'application', journal, faults, settings, ...changes };
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
    assert.equal(status, 200);
    const faults = [{ name: 'hex', times: 2 }];
    assert.deepEqual(body, {
      ok: true,
      side: 'application',
      client_id: 'client-1',
      calls: 1,
      faults,
    });
  });

  it('show the journal, filtered', async () => {
    const { ask, record } = newControl();
    await record(keyExchange('a'));
    await record(keyExchange('ユ'));
    assert.equal((await ask(control('journal'))).body.total, 2);
    const one = await ask(control(`journal?ptn_cd=${encodeURIComponent('ユ')}&last=5`));
    const entries = one.body.entries as { seq: number; ptn_cd: string }[];
    assert.deepEqual([entries.length, entries[0]?.seq, entries[0]?.ptn_cd], [1, 2, 'ユ']);
  });

  for (const request of [control('journal', 'DELETE'), control('journal/reset', 'POST')]) {
    it(`forget the journal by ${request.method} ${request.path}`, async () => {
      const { ask, record } = newControl();
      await record(keyExchange());
      assert.deepEqual((await ask(request)).body, { ok: true, removed: 1 });
      assert.deepEqual((await ask(control('journal'))).body.entries, []);
    });
  }

  it('reset what earlier requests left behind, and nothing else', async () => {
    let resets = 0;
    const reset = () => {
      resets += 1;
    };
    const { ask, record } = newControl({ reset });
    await record(keyExchange());
    assert.deepEqual((await ask(control('reset', 'POST'))).body, { ok: true });
    assert.equal(resets, 1);
    assert.equal((await ask(control('reset'))).status, 405);
    assert.equal((await ask(control('journal'))).body.total, 1);
    assert.equal((await newControl().ask(control('reset', 'POST'))).status, 404);
  });

  it('list the faults', async () => {
    const { body } = await newControl().ask(control('faults'));
    assert.deepEqual(body.active, []);
    assert.deepEqual((body.available as unknown[])[0], {
      name: 'oaep-sha1',
      title: 'Wraps the key with OAEP (SHA-1)',
      check: 'key-exchange/wraps-key',
      diagnosis: 'oaep-sha1',
    });
  });

  it('switch a fault on for the next calls of one user, and off again', async () => {
    const { ask, send } = newControl();
    const fields = { name: 'code-200', times: 1, ptn_cd: 'a' };
    const on = await ask(control('faults', 'POST', fields));
    assert.deepEqual(on.body, { ok: true, active: [fields] });
    const codes = [];
    for (const user of ['b', 'a', 'a']) codes.push((await send(keyExchange(user))).code);
    assert.deepEqual(codes, ['0000', '200', '0000']);
    await ask(control('faults', 'POST', { name: 'hex' }));
    await ask(control('faults', 'POST', { name: 'slow' }));
    const off = await ask(control('faults?name=hex', 'DELETE'));
    assert.deepEqual(off.body, { ok: true, removed: 1, active: [{ name: 'slow' }] });
    assert.deepEqual((await ask(control('faults', 'DELETE'))).body.active, []);
  });

  it('run a sign-up, and return what came of it', async () => {
    const orders: unknown[] = [];
    const signUp = async (order: unknown) => {
      orders.push(order);
      return { ptn_cd: 'a', ok: false };
    };
    const callbackUrl = 'http://localhost/callback';
    const fields = { ptn_cd: 'a', email: 'e', super_passcode: 's', callback_url: callbackUrl };
    const { status, body } = await newControl({ signUp }).ask(control('signup', 'POST', fields));
    assert.deepEqual([status, body], [200, { ok: false, ptn_cd: 'a' }]);
    const rest = { name: undefined, phone: undefined };
    assert.deepEqual(orders, [
      { ptnCd: 'a', email: 'e', superPasscode: 's', callbackUrl, ...rest },
    ]);
  });

  for (const [code, status] of [
    ['usage', 400],
    ['refused', 502],
  ] as const) {
    it(`say why a sign-up could not run: ${code}`, async () => {
      const signUp = async () => {
        throw new AuthcliError(code, 'No.', { hint: 'Do this.' });
      };
      const response = await newControl({ signUp }).ask(control('signup', 'POST'));
      assert.equal(response.status, status);
      const error = { code, message: 'No.', hint: 'Do this.' };
      assert.deepEqual(response.body, { ok: false, error });
    });
  }
});

describe('the control paths refuse', () => {
  const wrong: readonly [string, EmulatorRequest, number, RegExp][] = [
    ['an unknown path', control('nothing'), 404, /Unknown control path/],
    ['a sign-up that nobody does', control('signup', 'POST'), 404, /Unknown control path/],
    ['another method', control('health', 'PUT'), 405, /accepts only GET\./],
    ['no JSON', { ...control('faults', 'POST'), body: Buffer.from('{') }, 400, /one JSON object/],
    ['an array', control('faults', 'POST', [1]), 400, /one JSON object/],
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

  for (const [path, status] of [
    ['/_authcli/', 200],
    ['/_authcli', 200],
    ['/_authcli/nothing', 404],
  ] as const) {
    it(`nobody the list of paths: ${path}`, async () => {
      const response = await newControl().ask({ ...control(''), path });
      assert.equal(response.status, status);
      const paths = response.body.paths as string[];
      assert.equal(paths.length, 7);
      assert.ok(paths[0]?.startsWith('GET /_authcli/health: '));
    });
  }

  const health = control('health');
  const strangers: readonly [string, Partial<EmulatorRequest>][] = [
    ['another machine', { peer: '192.168.0.7' }],
    ['another machine by IPv6', { peer: '::ffff:10.0.0.1' }],
    ['a caller without an address', { peer: undefined }],
    ['a web page', { headers: { ...headers, origin: 'https://example.com' } }],
    ['a page without an origin', { headers: { ...headers, 'sec-fetch-site': 'cross-site' } }],
    ['a proxy', { headers: { ...headers, 'x-forwarded-for': '203.0.113.7' } }],
    ['a page of an unknown origin', { headers: { ...headers, origin: 'null' } }],
    ['a name that was made to point here', { headers: { host: 'rebound.example:8080' } }],
    ['a name that looks like an address', { headers: { host: '127.0.0.1.example.com' } }],
    ['no Host', { headers: {} }],
  ];
  for (const [who, changes] of strangers) {
    it(`${who} with 403`, async () => {
      const { status, body } = await newControl().ask({ ...health, ...changes });
      assert.equal(status, 403);
      assert.deepEqual(Object.keys(body), ['ok', 'error']);
    });
  }

  for (const host of ['localhost:80', '[::1]:8080', '10.0.0.5:1', 'LOCALHOST', '127.0.0.1']) {
    it(`no caller of this machine with Host: ${host}`, async () => {
      assert.equal((await newControl().ask({ ...health, headers: { host } })).status, 200);
    });
  }
});

it('a control path is one below /_authcli', () => {
  for (const path of ['/_authcli/', '/_authcli', '/_authcli/x/y']) assert.ok(isControlPath(path));
  for (const path of ['/_authclix', '/a/_authcli/', '/']) assert.ok(!isControlPath(path), path);
});
