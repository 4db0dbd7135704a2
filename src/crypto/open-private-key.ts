import { derTags, readDerChildren, readDerElement } from './der.ts';
import type { PrivateKeyReading } from './private-key.ts';
import { createRsaPrivateKey, type RsaPrivateKey, rsaEncryption } from './rsa-key.ts';
import { readRsaPrivateKey } from './rsa-structures.ts';

/**
 * Reads what `readPrivateKey` reads. What knows other forms than the plain one, and explains, is most
 * of the code, and loaded when it is needed.
 *
 * @throws AuthcliError `usage` with the reason for what is no usable key.
 */
export async function openPrivateKey(text: string | Uint8Array): Promise<PrivateKeyReading> {
  const key = readPlainPrivateKey(text);
  if (key !== undefined) return { key, notes: [] };
  const { readPrivateKey } = await import('./private-key.ts');
  return readPrivateKey(text);
}

/** PKCS #8 in PEM to the letter of RFC 7468, as OpenSSL and authcli write it. */
const plainPem =
  /^-----BEGIN PRIVATE KEY-----\n((?:[A-Za-z0-9+/]{64}\n)*[A-Za-z0-9+/]{1,64}={0,2})\n-----END PRIVATE KEY-----\n?$/;

const longestPem = 20_000;

/** The key where nothing at all can be said of its form; undefined for every other text. */
function readPlainPrivateKey(text: string | Uint8Array): RsaPrivateKey | undefined {
  if (text.length > longestPem) return undefined;
  const pem = typeof text === 'string' ? text : Buffer.from(text).toString('latin1');
  const body = plainPem.exec(pem)?.[1]?.replaceAll('\n', '');
  const der = body === undefined ? undefined : Buffer.from(body, 'base64');
  if (der === undefined || der.toString('base64') !== body) return undefined;
  const pkcs1 = readPlainPkcs8(der);
  const whole = pkcs1 === undefined ? undefined : readDerElement(pkcs1);
  if (pkcs1 === undefined || whole?.ok !== true) return undefined;
  if (whole.element.encoded.length !== pkcs1.length || !whole.element.shortestLength)
    return undefined;
  const { rsa, refusal, notes } = readRsaPrivateKey(whole.element);
  if (rsa === undefined || refusal !== undefined || notes.length > 0) return undefined;
  try {
    return createRsaPrivateKey(rsa, pkcs1);
  } catch {
    return undefined; // to be explained
  }
}

/** The RSAPrivateKey in a PrivateKeyInfo of version 0 without attributes (RFC 5208 5). */
function readPlainPkcs8(der: Uint8Array): Uint8Array | undefined {
  const root = readDerElement(der);
  if (!root.ok || root.element.encoded.length !== der.length || !root.element.shortestLength) {
    return undefined;
  }
  const [version, algorithm, key, ...more] = readDerChildren(root.element) ?? [];
  const isPlain =
    root.element.tag === derTags.sequence &&
    version?.tag === derTags.integer &&
    version.contents.length === 1 &&
    version.contents[0] === 0 &&
    algorithm !== undefined &&
    Buffer.compare(algorithm.encoded, rsaEncryption) === 0 &&
    key?.tag === derTags.octetString &&
    key.shortestLength &&
    more.length === 0;
  return isPlain ? key.contents : undefined;
}
