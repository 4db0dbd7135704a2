import crypto from 'node:crypto';
import net from 'node:net';

const key = '0123456789abcdef0123456789abcdef';
const [b12, b16, b32] = [12, 16, 32].map((size) => Buffer.alloc(size));
const of = (situation, mistake) => {
  try {
    mistake();
    console.log(`${situation}\tNOTHING`);
  } catch (e) {
    console.log(`${situation}\t${String(e).split('\n').join('\\n')}\t${e.code ?? ''}`);
  }
};
const decrypt = (name, k, iv, data, tag) => {
  const d = crypto.createDecipheriv(name, k, iv);
  if (tag) d.setAuthTag(tag);
  return Buffer.concat([d.update(data), d.final()]);
};
of('padding-refused', () => decrypt('aes-256-cbc', key, b16, b32));
of('block-length', () => decrypt('aes-256-cbc', key, b16, Buffer.alloc(20)));
of('tag-refused', () => decrypt('aes-256-gcm', key, b12, b32, b16));
of('tag-missing', () => decrypt('aes-256-gcm', key, b12, b32, Buffer.alloc(2)));
of('key-bytes', () => decrypt('aes-256-cbc', `${key}\n`, b16, b32));
of('iv-bytes', () => decrypt('aes-256-cbc', key, Buffer.alloc(8), b32));
of('value-missing', () => decrypt('aes-256-cbc', undefined, b16, b32));
of('value-missing', () => {
  const user = undefined;
  user.key;
});
of('cipher-name', () => decrypt('AES/CBC/PKCS5Padding', key, b16, b32));
of('not-text', () => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from([0xc3, 0x28])));
of('not-text', () => decodeURIComponent('%c3%28'));
of('not-base64-text', () => atob('ab-_'));
of('not-json-text', () => JSON.parse(''));
of('not-json-text', () => JSON.parse('ample.com","name":"Kim"}'));
of('not-json-text', () => JSON.parse('{"a":1}\x05'));
of('not-json-text', () => JSON.parse('{"a":"\x01"}'));
of('not-json-text', () => JSON.parse('[object Object]'));
const pair = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsa = (padding, data) => crypto.privateDecrypt({ key: pair.privateKey, padding }, data);
const { RSA_PKCS1_OAEP_PADDING, RSA_PKCS1_PADDING, RSA_NO_PADDING } = crypto.constants;
of('rsa-failed', () => rsa(RSA_PKCS1_OAEP_PADDING, Buffer.alloc(256, 1)));
// Node 22 and later reject implicitly: random bytes instead of an error.
if (Number.parseInt(process.versions.node, 10) < 22) {
  of('rsa-failed', () => rsa(RSA_PKCS1_PADDING, Buffer.alloc(256, 1)));
}
of('rsa-failed', () => rsa(RSA_PKCS1_OAEP_PADDING, Buffer.alloc(300, 1)));
of('rsa-failed', () =>
  crypto.publicEncrypt({ key: pair.publicKey, padding: RSA_PKCS1_PADDING }, Buffer.alloc(300, 1)),
);
of('rsa-failed', () =>
  crypto.publicEncrypt({ key: pair.publicKey, padding: RSA_NO_PADDING }, Buffer.alloc(32, 1)),
);
of('rsa-failed', () => crypto.privateDecrypt({ key: pair.publicKey }, Buffer.alloc(256, 1)));
of('public-key-unreadable', () => crypto.createPublicKey('MIIBIjANBg'));
of('public-key-unreadable', () =>
  crypto.createPublicKey({ key: Buffer.alloc(20), format: 'der', type: 'spki' }),
);
of('text-for-bytes', () => crypto.createHash('md5').update({}));
const aes = await crypto.webcrypto.subtle.importKey('raw', Buffer.from(key), 'AES-CBC', false, [
  'decrypt',
]);
await crypto.webcrypto.subtle
  .decrypt({ name: 'AES-CBC', iv: b16 }, aes, b32)
  .catch((e) => console.log(`padding-refused\t${e}`));
net.connect(1, '127.0.0.1').on('error', (e) => console.log(`database-down\t${e}`));
