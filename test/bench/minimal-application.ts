/**
 * An application that does no more than it must, so that a load meets authcli's limit and not its own:
 * a random key for each key exchange, "0000" for each registration, nothing kept. Prints its URL.
 */
import { constants, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const publicKeys = new Map<string, ReturnType<typeof createPublicKey>>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const fields = JSON.parse(Buffer.concat(chunks).toString());
    const result =
      fields.used_type === '1' ? { enc_partner_key: wrappedKey(fields.public_key) } : undefined;
    const body = JSON.stringify({ code: '0000', message: '', result });
    const length = { 'content-length': Buffer.byteLength(body) };
    response.writeHead(200, { 'content-type': 'application/json', ...length }).end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

function wrappedKey(spki: string): string {
  const bytes = Buffer.from(spki, 'base64');
  const key = publicKeys.get(spki) ?? createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  publicKeys.set(spki, key);
  const userKey = Buffer.from(randomBytes(16).toString('hex'));
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, userKey).toString('base64');
}
