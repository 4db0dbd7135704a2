import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { describe, it } from 'node:test';
import { format, inspect } from 'node:util';
import { textContent } from '../../src/cli/args/input.ts';
import type { Flag } from '../../src/cli/args/options.ts';
import { commands } from '../../src/cli/commands/index.ts';
import type { Context } from '../../src/cli/context.ts';
import { asSent } from '../../src/client/headers.ts';
import { chooseProxy } from '../../src/client/proxy.ts';
import { createRoute } from '../../src/client/route.ts';
import { createTlsSettings } from '../../src/client/tls-options.ts';
import { secretOptions } from '../../src/client/transport-options.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import { createService, handleServiceCall } from '../../src/emulator/service.ts';
import { createUserStore } from '../../src/emulator/users.ts';
import { parseUsers } from '../../src/state/user-rows.ts';
import { post } from '../support/client.ts';
import { formsOf } from '../support/secret-scan.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { workspace } from './workspace.ts';

/*
 * Secrets on their way through the program, printed as a bug would print them: by template, JSON and
 * util.inspect of what contains them, and in an error that was not expected.
 */

const { path, save, cli } = workspace();

const secrets = {
  key: 'Kk0123456789abcdefghijklmnopqrstu'.slice(0, 32),
  superPasscode: 'a pass "code" of the tests',
  userInfo: '{"email":"mina@example.com","name":"Mina Park","phone":"+82-10-1111-2222"}',
  secretKey: 'Secret/Key+of=the&tests',
  ptnToken: 'ptn-token.of-the.tests',
  acsToken: 'acs-token.of-the.tests',
  header: 'Bearer abc.def.ghi-0123456789',
  proxyPassword: 'pr0xy:pass@word/',
} as const;
const proxy = `http://user:${encodeURIComponent(secrets.proxyPassword)}@127.0.0.1:1`;
const { key, superPasscode, userInfo, secretKey } = secrets;
const environment = { now: Date.now, randomBytes: seededBytes('objects') };

/** What a text contains that none may contain. */
function found(text: string): readonly string[] {
  const basic = Buffer.from(`user:${secrets.proxyPassword}`).toString('base64');
  return [...Object.values(secrets), basic].filter((secret) =>
    formsOf(secret).some((form) => text.includes(form)),
  );
}

/** A value in every way in which it could be printed. */
function printed(value: unknown): string {
  const depth = Number.POSITIVE_INFINITY;
  return [
    String(value),
    inspect(value, { depth, showHidden: true, maxArrayLength: null, maxStringLength: null }),
    format('%s %o %O', value, value, value),
    JSON.stringify(value),
    inspect(new TypeError('a bug', { cause: value }), { depth }),
  ].join('\n');
}

const row = { ptn_cd: 'mina', key, super_passcode: superPasscode, user_info: userInfo };
const users = JSON.stringify([{ ...row, delivered_passcode: superPasscode }]);
const transport = secretOptions({
  headers: [['Authorization', secrets.header] as const],
  proxy: { http: proxy, https: proxy },
});

/** What an application learned of a registration, and itself. */
async function registered() {
  const users = createUserStore([{ ptnCd: 'mina', key: Secret.key(key), state: 'known' }]);
  const side = { clientId: 'shop', cipher: defaultCipher, environment, users };
  const application = createApplication(side);
  const encrypted = (text: string) =>
    encryptPayload(Buffer.from(text), key, defaultCipher, environment.randomBytes);
  const body = {
    ...{ client_id: 'shop', used_type: '2', ptn_cd: 'mina' },
    ...{ partner_sp: encrypted(superPasscode), ubifill: encrypted(userInfo) },
  };
  const { facts } = await handleCallback(request('/', body), application);
  assert.equal(facts.code, '0000');
  return { application, users: users.list(), facts };
}

/** What a service learned of a call, and itself. */
async function asked() {
  const side = { clientId: 'shop', cipher: defaultCipher, environment, findUser: () => undefined };
  const service = createService({ ...side, secretKey: Secret.text(secretKey) });
  const body = { client_id: 'shop', secret_key: secretKey, ptn_token: secrets.ptnToken };
  const { facts } = await handleServiceCall(request('/process/token', body), service);
  assert.equal(facts.code, 'E201');
  return { service, facts };
}

function request(path: string, body: object) {
  const headers = { 'content-type': 'application/json;charset=utf-8' };
  return { method: 'POST', path, headers, body: Buffer.from(JSON.stringify(body)) };
}

describe('what contains secrets', () => {
  const url = new URL('http://app.test/');
  const route = () => createRoute(url, chooseProxy(transport.proxy)(url), createTlsSettings({}));
  for (const make of [() => parseUsers(users), () => transport, route, registered, asked])
    it(`shows none of them when it is printed: ${make}`, async () => {
      assert.deepEqual(found(printed(await make())), []);
    });

  it('has them, and a search that finds them', async () => {
    const user = (await registered()).application.users.get('mina');
    const held = [user?.key, user?.superPasscode, user?.userInfo];
    const revealed = held.map((secret) => secret?.reveal());
    assert.deepEqual(revealed, [key, superPasscode, userInfo]);
    const sent = asSent(post(url), transport.headers ?? []);
    assert.deepEqual(found(printed(sent.headers)), [secrets.header]);
    assert.deepEqual(found(printed({ deep: [{ key }] })), [key]);
  });
});

/** An environment that breaks once everything is ready to be sent, with all that there is in the error. */
const broken: Partial<Context> = {
  openTransport: async (options) => {
    const { now: _, signal: __, ...rest } = options;
    throw Object.assign(new TypeError(printed(rest), { cause: rest }), { options: rest });
  },
};

describe('a bug in a command that was given secrets', () => {
  const certKey = path('client.key');
  save('client.key', key);
  chmodSync(certKey, 0o600);
  const network = [
    ...['--header', `Authorization: ${secrets.header}`, '--proxy', proxy],
    ...['--cert', certKey, '--cert-key', certKey],
  ];
  const account = ['--client-id', 'shop', '--secret-key', secretKey, '--auth-url', 'http://a.test'];
  const sending: readonly (readonly string[])[] = [
    ['simulate-signup', '--url', 'http://a.test', '--user-info', userInfo],
    ['simulate-registration', '--url', 'http://a.test', '--ptn-cd', 'mina'],
    ['signin', '--ptn-token', secrets.ptnToken, '--ptn-cd', 'mina', ...account],
    ['authenticate', '--acs-token', secrets.acsToken, '--key', key, ...account],
    ['cipher', 'probe', '--url', 'http://a.test', '--user-info', userInfo],
    ['verify', '--url', 'http://a.test', '--secret-key', secretKey],
  ];
  for (const argv of sending) {
    it(`shows none of them: ${argv.slice(0, 2).join(' ')}`, async () => {
      await cli(['users', 'import', '-'], { stdin: users });
      for (const more of [['--json'], ['--show-secrets']]) {
        const line = [...argv, ...network, '--trace', '--curl', '--verbose', ...more];
        const { status, stdout, stderr } = await cli(line, { context: broken });
        assert.equal(status, 70, stderr);
        assert.match(stderr, /^bug: TypeError$/m);
        assert.deepEqual(found(stdout + stderr), []);
      }
    });
  }
});

it('the values of secret flags are a type of their own', async () => {
  for (const { path, load } of commands) {
    for (const { secret, references, input, parse } of Object.values<Flag<unknown>>(
      (await load()).flags,
    ))
      if (secret && references && input === 'text')
        assert.deepEqual(found(printed(parse([textContent(key)]))), [], path);
  }
});
