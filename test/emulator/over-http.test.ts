import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, describe, it } from 'node:test';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { Journal, type JournalEntry } from '../../src/emulator/journal.ts';
import { type RunningServer, startServer } from '../../src/emulator/server.ts';
import {
  authenticateCall,
  decrypt,
  encrypt,
  keyExchange,
  newApplication,
  newService,
  openly,
  registeredUser,
  registration,
  tokenCall,
  unwrap,
} from './support.ts';

const running: RunningServer[] = [];
const agent = new http.Agent({ keepAlive: true });
after(async () => {
  agent.destroy();
  await Promise.all(running.map((server) => server.close()));
});

type RunEnvironment = ReturnType<typeof newApplication> | ReturnType<typeof newService>;

/** Serves a side as the commands do, and sends requests to it over a kept connection. */
async function serve(emulator: RunEnvironment) {
  const side = 'application' in emulator ? 'application' : 'service';
  const { environment, faults } =
    'application' in emulator ? emulator.application : emulator.service;
  const journal = new Journal({ redaction: openly });
  const control = { side, journal, faults } as const;
  const handle = createEmulator({ handler: emulator.call, control, environment });
  const server = await startServer({ host: '127.0.0.1', port: 0, handle });
  running.push(server);
  const ask = async (path: string, options: http.RequestOptions, body: Uint8Array) => {
    const request = http.request(`${server.url}${path}`, { agent, ...options });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString());
  };
  const send = ({ method, path, headers, body }: EmulatorRequest) =>
    ask(path, { method, headers }, body);
  const steer = (path: string, method = 'GET', fields?: unknown) =>
    ask(`/_authcli/${path}`, { method }, Buffer.from(fields ? JSON.stringify(fields) : ''));
  return { send, steer };
}

describe('the emulators over HTTP', () => {
  it('sign a user up, and report it', async () => {
    const emulator = newApplication();
    const { send, steer } = await serve(emulator);
    const key = unwrap((await send(keyExchange())).result.enc_partner_key);
    assert.deepEqual(await send(registration(encrypt('secret', key))), {
      code: '0000',
      message: '',
    });
    assert.equal(emulator.application.users.get('user-1')?.superPasscode?.reveal(), 'secret');
    const { entries } = await steer('journal?ptn_cd=user-1');
    assert.deepEqual(
      entries.map(({ operation, code }: JournalEntry) => [operation, code]),
      [
        ['key-exchange', '0000'],
        ['registration', '0000'],
      ],
    );
  });

  it('sign a user in', async () => {
    const emulator = newService();
    const { send } = await serve(emulator);
    const { result } = await send(tokenCall(emulator.ptnToken()));
    const { ptn_sp } = (await send(authenticateCall(result.acs_token))).result;
    assert.equal(
      decrypt(ptn_sp, registeredUser.key.reveal()),
      registeredUser.superPasscode?.reveal(),
    );
  });

  it('do wrong for one call where they are asked to', async () => {
    const { send, steer } = await serve(newApplication());
    await steer('faults', 'POST', { name: 'code-200', times: 1 });
    assert.equal((await send(keyExchange())).code, '200');
    assert.equal((await send(keyExchange())).code, '0000');
    const { entries } = await steer('journal?fault=code-200');
    assert.equal(entries.length, 1);
  });

  it('serve many users at the same time', async () => {
    const { send } = await serve(newApplication());
    const users = Array.from({ length: 40 }, (_, index) => `user-${index}`);
    const codes = await Promise.all(
      users.map(async (ptnCd) => {
        const key = unwrap((await send(keyExchange(ptnCd))).result.enc_partner_key);
        return (await send(registration(encrypt(ptnCd, key), ptnCd))).code;
      }),
    );
    assert.deepEqual(new Set(codes), new Set(['0000']));
  });
});
