import assert from 'node:assert/strict';
import { constants, createPrivateKey, createPublicKey, publicEncrypt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { exportPrivateKey, exportPublicKey } from '../../../src/crypto/rsa-key.ts';
import { violations } from '../../support/json-schema.ts';
import { keyPairSource } from '../../support/key-pairs.ts';
import { run } from '../../support/run.ts';
import { connectAgent, resourceTexts } from './client.ts';

const schemaAt = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const toolSchema = schemaAt('schemas/tool-1.json');
const verifySchema = schemaAt('schemas/verify-1.json');
const wrapsKey = ['key-exchange/wraps-key', 'key-exchange/answers-success'];

/** Adds padding in front of an application's key that is not the one of the interface. */
function oaep(key: string, publicKey: string): string {
  const spki = { key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' } as const;
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const wrapped = publicEncrypt({ key: createPublicKey(spki), padding }, Buffer.from(key));
  return wrapped.toString('base64');
}

/** What an agent reads of a result, in either form. */
const bytesOf = ({ text, document }: { text: string; document: unknown }) =>
  text.length + JSON.stringify(document).length;

describe('authcli mcp', () => {
  it('offers its tools with schemas, and its pages as resources', async (context) => {
    const { client } = await connectAgent(context);
    const { tools } = await client.listTools();
    assert.equal(
      tools.map(({ name }) => name).join(' '),
      'verify simulate_signup issue_ptn_token signin key_unwrap cipher_identify cipher_probe ' +
        'explain analyze emulate_start emulate_stop emulate_journal',
    );
    for (const { name, description } of tools) assert.ok(description, name);
    const bytes = JSON.stringify(tools).length;
    assert.ok(bytes < 9000, `${bytes} bytes`);
    const offered = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    for (const name of ['header', 'proxy', 'har', 'report', 'signin', 'show_secrets', 'config']) {
      assert.ok(!offered.includes(name), name);
    }
    const texts = await resourceTexts(client);
    assert.equal(texts.get('authcli://openapi'), readFileSync('schemas/openapi.yaml', 'utf8'));
    for (const [name, content] of [
      ['interface', /RSA and PKCS #1 v1\.5 padding/],
      ['decisions', /the time zone of `expire_dt`/],
      ['diagnoses', /oaep-sha1/],
      ['checks', /"id": "signin\/compares-exactly"/],
      ['faults', /"name": "oaep-sha1"/],
    ] as const)
      assert.match(texts.get(`authcli://${name}`) ?? '', content);
  });

  it('verifies in the form of verify, with the fix in the language that is asked for', async (context) => {
    const { call } = await connectAgent(context);
    const started = await call('emulate_start', { side: 'application', fault: ['oaep-sha1'] });
    assert.deepEqual(violations(started.document, toolSchema), []);
    const messages: string[] = [];
    const { isError, document, text } = await call(
      'verify',
      { url: started.document.url, check: wrapsKey, stack: 'python' },
      { onprogress: ({ message = '' }) => messages.push(message) },
    );
    assert.equal(isError, false);
    assert.deepEqual(violations(document, toolSchema), []);
    assert.match(
      text,
      /^\{"verdict":"verify failed: 1 passed, 1 failed\.","ok":false,"error":\{"code":"oaep-sha1".*?"message":"The key was.*?"hint":"Request.*?"calls":\{"python".*?"next":/,
    );
    const given = { stack: 'python', url: started.document.url, check: [wrapsKey[0]] };
    assert.deepEqual(document.error.next, { tool: 'verify', arguments: given });
    const [failed, ...others] = document.checks;
    assert.deepEqual([failed.id, others], ['key-exchange/wraps-key', []]);
    assert.deepEqual(Object.keys(document.error.calls), ['python']);
    assert.equal(failed.diagnosis.code, 'oaep-sha1');
    assert.match(messages.join('\n'), /2 of 2 checks|2\/2/);
    const { url } = started.document;
    const whole = await call('verify', { url, stack: 'python' });
    const right = (await call('emulate_start', { side: 'application' })).document;
    const fixed = await call('verify', { url: right.url, stack: 'python' });
    assert.deepEqual([whole.document.ok, fixed.document.ok], [false, true]);
    const [failing, job] = [bytesOf(whole), bytesOf(whole) + bytesOf(fixed)];
    assert.ok(failing < 4000 && job < 6000, `${failing} and ${job} bytes`);
    for (const [tool, given] of [
      ['simulate_signup', { url }],
      ['explain', { code: 'oaep-sha1' }],
    ] as const) {
      const { text } = await call(tool, { ...given, stack: 'python' });
      assert.equal(text.match(/PKCS1v15\(\)/g)?.length, 1, text);
      assert.doesNotMatch(text, /"(?:node|ruby)":/);
    }
    const { text: refused } = await call('verify', { url, stack: 'cobol' });
    assert.match(refused, /stack: "cobol" is not a language.*Give one of java, /);
    const all = await call('verify', { url, check: wrapsKey, all_checks: true });
    assert.deepEqual(violations(all.document, verifySchema), []);
    assert.equal(all.document.checks.length, 2);
  });

  it('signs up and in against its emulators, and shows what they received without secrets', async (context) => {
    const { call } = await connectAgent(context);
    const application = (await call('emulate_start', { side: 'application' })).document;
    const secretKey = 'the-secret-key-of-this-test';
    const service = (await call('emulate_start', { side: 'service', secret_key: secretKey }))
      .document;
    const passcode = 'passcode-0123456789';
    const user = { ptn_cd: 'alice', super_passcode: passcode, email: 'alice@example.org' };
    const signup = await call('simulate_signup', { url: application.url, ...user });
    assert.deepEqual(violations(signup.document, toolSchema), []);
    assert.equal(signup.document.ok, true, signup.text);
    const issued = await call('issue_ptn_token', { ptn_cd: 'alice', secret_key: secretKey });
    const signin = await call('signin', {
      auth_url: service.url,
      client_id: 'authcli-client',
      secret_key: secretKey,
      ptn_token: issued.document.ptn_token,
    });
    assert.deepEqual(violations(signin.document, toolSchema), []);
    assert.equal(signin.document.passcode, 'match', signin.text);
    const ofApplication = await call('emulate_journal', { id: application.id, ptn_cd: 'alice' });
    assert.deepEqual(violations(ofApplication.document, toolSchema), []);
    const [exchange, registration] = ofApplication.document.untrusted.entries;
    assert.deepEqual(
      [exchange.operation, registration.operation],
      ['key-exchange', 'registration'],
    );
    const ofService = await call('emulate_journal', { id: service.id });
    assert.equal(ofService.document.total, 2);
    const shown = JSON.stringify([signup, signin, ofApplication, ofService]);
    for (const secret of [secretKey, passcode, issued.document.ptn_token]) {
      assert.ok(!shown.includes(secret), secret);
    }
    const stopped = await call('emulate_stop', { id: service.id });
    assert.deepEqual(stopped.document.stopped, [service.id]);
    await assert.rejects(fetch(service.url));
    const gone = await call('emulate_journal', { id: service.id });
    assert.equal(gone.isError, true);
    assert.match(gone.text, /Running: application-1/);
  });

  it('diagnoses a wrapped key and a payload without showing what is inside', async (context) => {
    const { call, folder } = await connectAgent(context, { args: ['--allow-dir', '.'] });
    const pair = await keyPairSource()(2048);
    const password = 'a pass phrase of this test';
    const pem = createPrivateKey(exportPrivateKey(pair)).export({
      ...({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc' } as const),
      passphrase: password,
    });
    writeFileSync(join(folder, 'private.pem'), pem, { mode: 0o600 });
    const key = 'kQ8vR2mXw7ZtB4nLp9cYd6sFh3gJa5uE';
    const wrapped = await call('key_unwrap', {
      enc_partner_key: oaep(key, exportPublicKey(pair.publicKey)),
      private_key: ['private.pem'],
      private_key_password: password,
      stack: 'node',
    });
    assert.deepEqual(violations(wrapped.document, toolSchema), []);
    assert.equal(wrapped.document.error.code, 'oaep-sha1');
    assert.deepEqual(Object.keys(wrapped.document.error.calls), ['node']);
    const encrypted = await run(['encrypt', 'hello@example.com', '--key', key], {
      configFile: join(folder, 'other.json'),
    });
    const identified = await call('cipher_identify', { payload: encrypted.stdout.trim(), key });
    assert.deepEqual(violations(identified.document, toolSchema), []);
    assert.match(identified.document.candidates[0].cipher, /^aes-256-cbc/);
    assert.equal(identified.document.candidates[0].plaintext, '[redacted]');
    const shown = JSON.stringify([wrapped, identified]);
    for (const secret of [key, 'hello@example.com', password]) {
      assert.ok(!shown.includes(secret), secret);
    }
  });

  it('explains codes and error texts, and judges traffic that it is given', async (context) => {
    const { call } = await connectAgent(context);
    const error = 'javax.crypto.BadPaddingException: Given final block not properly padded';
    const explained = await call('explain', { code: error, stack: 'go' });
    assert.deepEqual(violations(explained.document, toolSchema), []);
    assert.equal(explained.document.ok, true);
    assert.equal((await call('explain', { code: 'E201' })).document.code, 'E201');
    const unknown = await call('explain', { code: '@/etc/passwd' });
    assert.match(unknown.text, /Unknown code "@\/etc\/passwd"/);
    const request = { client_id: 'c', used_type: '1', ptn_cd: 'ada', public_key: 'AAAA' };
    const response = { code: 'E9', message: 'refused' };
    const log = `in ${JSON.stringify(request)}\nout ${JSON.stringify(response)}\n`;
    const { document } = await call('analyze', { text: log });
    assert.deepEqual(violations(document, toolSchema), []);
    assert.deepEqual([document.exchanges, document.untrusted.users], [1, ['ada']]);
    const both = await call('analyze', { text: log, files: ['a.log'] });
    assert.equal(both.isError, true);
  });

  it('cancels what a call is waiting for', async (context) => {
    const { call } = await connectAgent(context);
    const silent = createServer().listen(0, '127.0.0.1');
    context.after(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const stop = new AbortController();
    const asked = once(silent, 'request');
    const pending = call(
      'simulate_signup',
      { url: `http://127.0.0.1:${port}/`, timeout: '60s' },
      { signal: stop.signal },
    );
    const [request] = await asked;
    const closed = once(request.socket, 'close');
    stop.abort();
    await assert.rejects(pending);
    await closed;
    assert.equal((await call('explain', { code: 'timeout' })).isError, false);
  });

  it('ends with the connection, and the emulators with it', async (context) => {
    const { call, leave } = await connectAgent(context);
    const { url } = (await call('emulate_start', { side: 'application' })).document;
    assert.equal((await fetch(url)).status, 405);
    assert.deepEqual(await leave(), { status: 0, stdout: '', stderr: '' });
    await assert.rejects(fetch(url));
  });
});
