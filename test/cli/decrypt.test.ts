import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../support/run.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('decrypt');

const folder = mkdtempSync(join(tmpdir(), 'authcli-decrypt-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const environment = { configFile: join(folder, 'config.json') };

const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const json = '{"email":"kim@example.com","name":"Kim"}';

/** AES-256-CBC of node:crypto alone, without the IV in front. */
function sealed(text: string, iv: Buffer): string {
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
}

async function decrypt(payload: string, ...argv: readonly string[]) {
  const plain = await run(['decrypt', payload, '--key', key, ...argv], environment);
  const { stdout } = await run(['decrypt', payload, '--key', key, '--json', ...argv], environment);
  return { ...plain, document: JSON.parse(stdout) };
}

describe('decrypt under a cipher that is not the right one', () => {
  it('fails and names the IV where JSON was encrypted with a zero IV', async () => {
    const { status, stdout, stderr, document } = await decrypt(sealed(json, Buffer.alloc(16)));
    const zero = 'aes-256-cbc?key=utf8&iv=zero&padding=pkcs7&encoding=base64';
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /iv zero instead of prefix/);
    assert.ok(stderr.endsWith(`next:  authcli config set cipher '${zero}'\n`), stderr);
    assert.equal(document.ok, false);
    assert.equal(document.error.code, 'cipher-mismatch');
    assert.equal(document.plaintext, null);
    assert.equal(document.fitting_cipher, zero);
  });

  it('fails where the IV is fixed in the code, whatever it is', async () => {
    for (let run = 0; run < 10; run += 1) {
      const { status, stdout, stderr } = await decrypt(sealed(json, randomBytes(16)));
      assert.equal(status, 1);
      assert.equal(stdout, '');
      assert.match(stderr, /begins in the middle of JSON/);
      assert.match(stderr, /next: {2}authcli decrypt .*--force\n$/);
    }
  });

  it('prints the plaintext all the same with --force, and a warning', async () => {
    const payload = sealed(json, Buffer.alloc(16));
    const { status, stdout, stderr } = await decrypt(payload, '--force');
    assert.equal(status, 0);
    assert.equal(stdout, 'ample.com","name":"Kim"}\n');
    assert.match(stderr, /^warning: cipher-mismatch: /);
  });

  it('prints what is right, and bytes that are not text, as before', async () => {
    const iv = randomBytes(16);
    const inFront = Buffer.concat([iv, Buffer.from(sealed(json, iv), 'base64')]).toString('base64');
    const right = await decrypt(inFront);
    assert.deepEqual([right.status, right.stdout], [0, `${json}\n`]);
    assert.equal(right.stderr, '');
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    const noise = Buffer.concat([iv, cipher.update(Buffer.alloc(40, 0xff)), cipher.final()]);
    const bytes = await decrypt(noise.toString('base64'));
    assert.equal(bytes.status, 0);
    assert.equal(bytes.document.plaintext, null);
    assert.equal(bytes.document.plaintext_base64, Buffer.alloc(40, 0xff).toString('base64'));
  });
});

describe('a whole body where a field of it is asked for', () => {
  const passcode = '482913';

  async function body(): Promise<{ readonly partnerSp: string; readonly text: string }> {
    const seal = async (text: string) => {
      const { stdout } = await run(['encrypt', text, '--key', key], environment);
      return stdout.trim();
    };
    const [partnerSp, ubifill] = [await seal(passcode), await seal(json)];
    const request = {
      client_id: 'c',
      used_type: '2',
      ptn_cd: 'kim',
      partner_sp: partnerSp,
      ubifill,
    };
    return { partnerSp, text: JSON.stringify(request, null, 2) };
  }

  it('decrypts the passcode of a request, with a note', async () => {
    const { text } = await body();
    const { status, stdout, stderr } = await decrypt(text);
    assert.deepEqual([status, stdout], [0, `${passcode}\n`]);
    assert.match(stderr, /^note: <payload> is a whole body, so its partner_sp was taken; --as ubi/);
  });

  it('decrypts the field that --as names', async () => {
    const { text } = await body();
    assert.equal((await decrypt(text, '--as', 'ubifill')).stdout, `${json}\n`);
    const without = await decrypt(text, '--as', 'ptn_sp');
    assert.equal(without.status, 2);
    assert.match(without.stderr, /The body has no ptn_sp\./);
  });

  it('decrypts the ptn_sp of a response', async () => {
    const { partnerSp } = await body();
    const response = { code: '0000', message: '', result: { ptn_sp: partnerSp } };
    const { status, stdout } = await decrypt(`\ufeff${JSON.stringify(response)}\n`);
    assert.deepEqual([status, stdout], [0, `${passcode}\n`]);
  });

  it('takes the user from the body where no key is given', async () => {
    const { text } = await body();
    const stdin = JSON.stringify({ ptn_cd: 'kim', key });
    await run(['users', 'import', '-'], { ...environment, stdin });
    const { status, stdout } = await run(['decrypt', text], environment);
    assert.deepEqual([status, stdout], [0, `${passcode}\n`]);
  });

  it('unwraps the key of a response, with a note', async () => {
    const publicKey = '@fixtures/keys/public.spki.base64';
    const wrapped = await run(['key', 'wrap', key, '--public-key', publicKey], environment);
    const result = { enc_partner_key: wrapped.stdout.trim() };
    const unwrap = (response: object) =>
      run(
        [
          'key',
          'unwrap',
          JSON.stringify(response),
          '--private-key',
          'fixtures/keys/private.pkcs8.pem',
        ],
        environment,
      );
    for (const response of [{ code: '0000', message: '', result }, { result }, result]) {
      const { status, stdout, stderr } = await unwrap(response);
      assert.deepEqual([status, stdout], [0, `${key}\n`], stderr);
      assert.match(
        stderr,
        /note: <enc_partner_key> is a whole response, so its enc_partner_key was/,
      );
    }
    const refused = await unwrap({ code: '1001', message: 'no' });
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /"1001"/);
    const number = await unwrap({ code: '0000', message: '', result: { enc_partner_key: 12 } });
    assert.equal(number.status, 1);
    assert.match(number.stderr, /number/);
    assert.doesNotMatch(number.stderr, /Base64\. /);
  });
});
