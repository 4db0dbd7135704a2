import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { seededBytes } from '../support/seeded-bytes.ts';
import { workspace } from './workspace.ts';

const { cli, cliJson } = workspace();
const randomBytes = seededBytes('decrypt');
const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const json = '{"email":"kim@example.com","name":"Kim"}';

/** AES-256-CBC of node:crypto alone, without the IV in front. */
function sealed(text: string | Buffer, iv: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([cipher.update(text), cipher.final()]);
}

const withoutIv = (iv: Buffer) => sealed(json, iv).toString('base64');
const withIv = (text: string | Buffer, iv = randomBytes(16)) =>
  Buffer.concat([iv, sealed(text, iv)]).toString('base64');
const decrypt = (payload: string, ...argv: readonly string[]) =>
  cli(['decrypt', payload, '--key', key, ...argv]);

describe('decrypt under a cipher that is not the right one', () => {
  it('fails and names the IV where JSON was encrypted with a zero IV', async () => {
    const payload = withoutIv(Buffer.alloc(16));
    const { status, stdout, stderr } = await decrypt(payload);
    const zero = 'aes-256-cbc?key=utf8&iv=zero&padding=pkcs7&encoding=base64';
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /iv zero instead of prefix/);
    assert.ok(stderr.endsWith(`next:  authcli config set cipher '${zero}'\n`), stderr);
    const document = (await cliJson(['decrypt', payload, '--key', key])).json;
    const { error, plaintext, fitting_cipher: fitting } = document;
    assert.deepEqual([error.code, plaintext, fitting], ['cipher-mismatch', null, zero]);
  });

  it('fails where the IV is fixed in the code, whatever it is', async () => {
    const payload = withoutIv(randomBytes(16));
    const { status, stdout, stderr } = await decrypt(payload);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /begins in the middle of JSON/);
  });

  it('prints what is right, and bytes that are not text', async () => {
    const right = await decrypt(withIv(json));
    assert.deepEqual([right.status, right.stdout, right.stderr], [0, `${json}\n`, '']);
    const noise = Buffer.alloc(40, 0xff);
    const bytes = (await cliJson(['decrypt', withIv(noise), '--key', key])).json;
    const { plaintext, plaintext_base64: base64 } = bytes;
    assert.deepEqual([plaintext, base64], [null, noise.toString('base64')]);
  });
});

describe('a whole body where a field of it is asked for', () => {
  const passcode = '482913';
  const partnerSp = withIv(passcode);
  const call = { client_id: 'c', used_type: '2', ptn_cd: 'kim', partner_sp: partnerSp };
  const body = JSON.stringify({ ...call, ubifill: withIv(json) }, null, 2);

  const result = { code: '0000', message: '', result: { ptn_sp: partnerSp } };
  const taken = /^note: <payload> is a whole body, so its partner_sp was taken; --as ubi/;
  for (const [text, flags, plaintext, printed] of [
    [body, ['--key', key], passcode, taken],
    [body, ['--key', key, '--as', 'ubifill'], json, /^note: .* its ubifill was taken/],
    [body, ['--key', key, '--as', 'ptn_sp'], '', /The body has no ptn_sp\.\n.*partner_sp and ubif/],
    [`\ufeff${JSON.stringify(result)}\n`, ['--key', key], passcode, /its ptn_sp was taken\n/],
    // the user is in the body
    [body, [], passcode, taken],
  ] as const) {
    it(`decrypts the field of a body with ${flags.slice(2)}: ${printed.source}`, async () => {
      await cli(['users', 'import', '-'], { stdin: JSON.stringify({ ptn_cd: 'kim', key }) });
      const { status, stdout, stderr } = await cli(['decrypt', text, ...flags]);
      assert.match(stderr, printed);
      assert.deepEqual([status, stdout.trim()], [plaintext === '' ? 2 : 0, plaintext]);
    });
  }

  it('unwraps the key of a response, with a note', async () => {
    const publicKey = `@${resolve('fixtures/keys/public.spki.base64')}`;
    const wrapped = await cli(['key', 'wrap', key, '--public-key', publicKey]);
    const result = { enc_partner_key: wrapped.stdout.trim() };
    const privateKey = ['--private-key', resolve('fixtures/keys/private.pkcs8.pem')];
    for (const [response, status, printed] of [
      [{ code: '0000', message: '', result }, 0, /is a whole response, so its enc_partner_key w/],
      [result, 0, /note: <enc_partner_key> is a whole response/],
      [{ code: '1001', message: 'no' }, 1, /"1001"/],
      [{ code: '0000', message: '', result: { enc_partner_key: 12 } }, 1, /number(?!.*Base64\. )/],
    ] as const) {
      const argv = ['key', 'unwrap', JSON.stringify(response), ...privateKey];
      const unwrapped = await cli(argv);
      const found = [unwrapped.status, unwrapped.stdout];
      assert.deepEqual(found, [status, status === 0 ? `${key}\n` : '']);
      assert.match(unwrapped.stderr, printed);
    }
  });
});
