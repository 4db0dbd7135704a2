/**
 * An application that does no more than it must, so that a load meets authcli's limit and not its own:
 * a random key for each key exchange, "0000" for each registration, nothing kept. For sign-ins it plays
 * the service: one user, one token. Prints its URL.
 */
import {
  constants,
  createPublicKey,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [ptnSp = ''] = process.argv.slice(2);
const publicKeys = new Map<string, KeyObject>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = respond(request.url ?? '', Buffer.concat(chunks).toString());
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

function respond(path: string, text: string): string {
  if (path.endsWith('/process/token')) return token;
  if (path.endsWith('/process/authenticate')) return success({ ptn_sp: ptnSp });
  const { used_type: usedType, public_key: publicKey } = JSON.parse(text) as Record<string, string>;
  return usedType === '1'
    ? success({ enc_partner_key: wrappedKey(publicKey ?? '') })
    : success(undefined);
}

const token = success({ acs_token: 'acs', expire_dt: '20300102030405', ptn_cd: 'user-0' });

function success(result: object | undefined): string {
  return JSON.stringify({ code: '0000', message: '', result });
}

function wrappedKey(text: string): string {
  let key = publicKeys.get(text);
  if (key === undefined) {
    key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    publicKeys.set(text, key);
  }
  const userKey = Buffer.from(randomBytes(16).toString('hex'));
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, userKey).toString('base64');
}
