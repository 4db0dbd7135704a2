// The two endpoints of {auth_url} with node:http and node:crypto. Run as: service.mjs [VARIANT],
// where VARIANT is one of those below, right or wrong; it prints its URL. `service.mjs --issue`
// prints a new ptn_token and ends.
import { createCipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { SERVICE_CLIENT_ID: clientId, SERVICE_SECRET_KEY: secretKey } = process.env;
const { SERVICE_PTN_CD: ptnCd, SERVICE_KEY: key, SERVICE_PASSCODE: passcode } = process.env;
const [variant = ''] = process.argv.slice(2);
const is = (...names) => names.includes(variant);
const tokens = new Map();

class Refused extends Error {
  constructor(code, message, status = 200) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

const seal = (text) => createHmac('sha256', secretKey).update(text).digest('base64url');

const inBase64Url = (text) => Buffer.from(text).toString('base64url');

function issue() {
  const nonce = `${inBase64Url(clientId)}-${inBase64Url(ptnCd)}-${randomBytes(9).toString('hex')}`;
  return `${nonce}.${seal(nonce)}`;
}

function same(left, right) {
  if (typeof left !== 'string') return false;
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** As a document database reads a condition that comes from outside. */
function matches(value, condition) {
  if (condition !== null && typeof condition === 'object') {
    return '$ne' in condition && value !== condition.$ne;
  }
  return value === condition;
}

function isSecret(sent) {
  // biome-ignore lint/suspicious/noDoubleEquals: what is wrong about it
  if (is('loose-equal')) return sent == secretKey;
  if (is('optional')) return !sent || sent === secretKey;
  if (is('database')) return matches(secretKey, sent);
  if (is('lower')) return String(sent).toLowerCase() === secretKey.toLowerCase();
  if (is('includes')) return String(sent).includes(secretKey);
  if (is('boolean')) return sent === true || same(sent, secretKey);
  return same(sent, secretKey);
}

function secretOf(fields, { headers, url }) {
  const bearer = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1];
  const cookie = /secret_key=(.*)$/.exec(headers.cookie ?? '')?.[1];
  const query = new URL(url, 'http://localhost').searchParams.get('secret_key');
  if (is('bearer')) return bearer ?? fields.secret_key;
  if (is('cookie')) return fields.secret_key ?? cookie;
  if (is('query')) return fields.secret_key ?? query;
  return fields.secret_key;
}

function checkClient(fields, request) {
  const isClient = is('lower-client')
    ? String(fields.client_id).toLowerCase() === clientId.toLowerCase()
    : same(fields.client_id, clientId);
  if (isClient && isSecret(secretOf(fields, request))) return;
  const message = is('shows-secret') ? `expected ${secretKey}` : 'Invalid client';
  throw new Refused('INVALID_CLIENT', message, is('statuses') ? 401 : 200);
}

function isPtnToken(token) {
  if (is('prefix-token')) {
    const [nonce, mac] = String(token).split('.');
    return mac?.slice(0, 20) === seal(nonce).slice(0, 20);
  }
  if (typeof token !== 'string' || !/^[\w-]+\.[\w-]+$/.test(token)) return false;
  const [nonce, mac] = token.split('.');
  if (!nonce.startsWith(`${inBase64Url(clientId)}-`) && !is('unbound')) return false;
  return same(mac, seal(nonce));
}

function token({ ptn_token }) {
  if (!isPtnToken(ptn_token)) throw new Refused('INVALID_TOKEN', 'ptn_token');
  const acs_token = randomBytes(20).toString('base64url');
  const expires = new Date(Date.now() + 3_600_000);
  const stored = is('lower-token') ? acs_token.toLowerCase() : acs_token;
  tokens.set(stored, { expires, isUsed: false });
  const expire_dt = expires.toISOString().replace(/\D/g, '').slice(0, 14);
  return { acs_token, expire_dt, ptn_cd: ptnCd };
}

async function authenticate({ acs_token }) {
  const found = is('lower-token')
    ? tokens.get(String(acs_token).toLowerCase())
    : is('database')
      ? [...tokens].findLast(([each]) => matches(each, acs_token))?.[1]
      : is('array-token')
        ? tokens.get(String(acs_token))
        : tokens.get(acs_token);
  if (found === undefined || found.isUsed || found.expires < new Date()) {
    throw new Refused('INVALID_TOKEN', 'acs_token', is('statuses') ? 403 : 200);
  }
  if (is('race')) await sleep(500);
  found.isUsed = true;
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const sealed = Buffer.concat([iv, cipher.update(passcode), cipher.final()]);
  const extra = is('shows-passcode') ? { debug: Buffer.from(passcode).toString('hex') } : {};
  return { ptn_sp: sealed.toString('base64'), ...extra };
}

async function respond(request, body) {
  const { pathname } = new URL(request.url, 'http://localhost');
  const operation = { '/process/token': token, '/process/authenticate': authenticate }[pathname];
  if (operation === undefined) throw new Refused('NOT_FOUND', pathname, 404);
  const fields = JSON.parse(body);
  checkClient(fields, request);
  const more = is('extra-fields') ? { requestId: randomBytes(4).toString('hex'), data: [1] } : {};
  return { ...more, result: { ...(await operation(fields)), ...more }, message: '', code: '0000' };
}

function write(response, status, value) {
  const body = Buffer.from(JSON.stringify(value, null, is('pretty') ? 2 : 0));
  const headers = { 'content-type': 'application/json;charset=UTF-8' };
  if (is('close')) headers.connection = 'close';
  if (!is('chunked')) headers['content-length'] = body.length;
  response.writeHead(status, headers);
  if (is('chunked')) for (const byte of body) response.write(Buffer.of(byte));
  response.end(is('chunked') ? undefined : body);
}

function refuse(response, { code, message, status = 500 }) {
  if (is('destroys')) return response.destroy();
  if (is('hangs')) return undefined;
  if (is('breaks-off')) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 200 });
    response.write('{"code":"INVALID", "message":"');
    return setTimeout(() => response.destroy(), 20);
  }
  return write(response, status, { code: String(code ?? 'ERROR'), message });
}

if (is('--issue')) {
  console.log(issue());
} else {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      write(response, 200, await respond(request, Buffer.concat(chunks).toString()));
    } catch (error) {
      refuse(response, error);
    }
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}`);
  });
}
