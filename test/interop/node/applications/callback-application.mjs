// A callback endpoint with node:http and node:crypto. Run as: callback-application.mjs PORT [FAULT],
// where FAULT is oaep, base64-key or never-decrypts.
import {
  constants,
  createDecipheriv,
  createPublicKey,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { createServer } from 'node:http';

const clientId = 'my-shop';
const [port, fault] = process.argv.slice(2);
const users = new Map();

function newKey() {
  return randomBytes(fault === 'base64-key' ? 32 : 24).toString('base64');
}

function wrap(key, publicKeyText) {
  const spki = Buffer.from(publicKeyText, 'base64');
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const padding = constants.RSA_PKCS1_PADDING;
  return publicEncrypt(
    fault === 'oaep' ? publicKey : { key: publicKey, padding },
    Buffer.from(key),
  ).toString('base64');
}

function decrypt(payload, key) {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  return decipher.update(bytes.subarray(16), undefined, 'utf8') + decipher.final('utf8');
}

function exchangeKey({ ptn_cd, public_key }) {
  if (!ptn_cd || !public_key) throw new Error('a field is missing');
  const key = newKey();
  const enc_partner_key = wrap(key, public_key);
  users.set(ptn_cd, { key });
  return { code: '0000', message: '', result: { enc_partner_key } };
}

function register({ ptn_cd, partner_sp, ubifill }) {
  const user = users.get(ptn_cd);
  if (!user || !partner_sp) throw new Error('unknown user, or no passcode');
  if (fault === 'never-decrypts') {
    user.passcode = partner_sp;
  } else {
    user.passcode = decrypt(partner_sp, user.key);
    if (ubifill) user.info = JSON.parse(decrypt(ubifill, user.key));
  }
  return { code: '0000', message: '' };
}

function answer(body) {
  const request = JSON.parse(body);
  if (request.client_id !== clientId) throw new Error('unknown client_id');
  if (request.used_type === '1') return exchangeKey(request);
  if (request.used_type === '2') return register(request);
  throw new Error('unknown used_type');
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.setHeader('content-type', 'application/json;charset=utf-8');
  try {
    response.end(JSON.stringify(answer(Buffer.concat(chunks).toString())));
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify({ code: '9000', message: error.message }));
  }
});

server.listen(Number(port), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`);
});
