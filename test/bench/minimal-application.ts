/**
 * An application that does no more than it must, so that a load meets authcli's limit and not its own:
 * a random key for each key exchange, "0000" for each registration, nothing kept. For sign-ins it plays
 * the service: one user, one token. Prints its URL.
 */
import { constants, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [ptnSp = ''] = process.argv.slice(2);
const publicKeys = new Map<string, ReturnType<typeof createPublicKey>>();
const token = { acs_token: 'acs', expire_dt: '20300102030405', ptn_cd: 'user-0' };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const result = resultOf(request.url ?? '', Buffer.concat(chunks).toString());
    const body = JSON.stringify({ code: '0000', message: '', result });
    const length = { 'content-length': Buffer.byteLength(body) };
    response.writeHead(200, { 'content-type': 'application/json', ...length }).end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

function resultOf(path: string, body: string): object | undefined {
  if (path.endsWith('/process/token')) return token;
  if (path.endsWith('/process/authenticate')) return { ptn_sp: ptnSp };
  const { used_type: usedType, public_key: publicKey = '' } = JSON.parse(body);
  return usedType === '1' ? { enc_partner_key: wrappedKey(publicKey) } : undefined;
}

function wrappedKey(spki: string): string {
  const bytes = Buffer.from(spki, 'base64');
  const key = publicKeys.get(spki) ?? createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  publicKeys.set(spki, key);
  const userKey = Buffer.from(randomBytes(16).toString('hex'));
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, userKey).toString('base64');
}
