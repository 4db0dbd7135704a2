import { decodeUtf16 } from '../bytes.ts';
import { type DerElement, derTags, readDerElement } from './der.ts';
import { childrenOf, damaged, octetsOf, oidOf, wrongPassword } from './der-fields.ts';
import {
  decryptDer,
  type Iterations,
  type PasswordEncryption,
  readPasswordEncryption,
} from './password-encryption.ts';

/** RFC 7292 4.2, appendix D. */
export const bagOids = {
  types: '1.2.840.113549.1.12.10.1.',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
  x509Certificate: '1.2.840.113549.1.9.22.1',
} as const;

/** What is in a PKCS #12 file (RFC 7292): a PrivateKeyInfo or a certificate in DER, or what is not read. */
export interface SafeBag {
  readonly type: 'key' | 'certificate' | 'other';
  readonly bytes: Uint8Array;
  /** Its friendlyName. */
  readonly alias?: string;
  /** Its localKeyId in hexadecimal digits: the key and its certificate have the same. */
  readonly localKeyId?: string;
}

/** The SEQUENCE that the bytes are. */
export function rootOf(bytes: Uint8Array): DerElement {
  const reading = readDerElement(bytes);
  if (reading.ok && reading.element.tag === derTags.sequence) return reading.element;
  const isCut = !reading.ok && reading.fault.kind === 'truncated';
  throw damaged(isCut ? 'its end is missing' : 'its DER is broken');
}

/** BER with indefinite lengths, as NSS and Bouncy Castle write it, in DER. */
export async function definite(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[1] !== 0x80) return bytes;
  const { definiteLengths } = await import('./forge.ts');
  const der = definiteLengths(bytes);
  if (der === undefined) throw damaged('its BER is broken');
  return der;
}

/** A part in its encryption. */
export interface EncryptedPart {
  readonly encryption: PasswordEncryption;
  readonly ciphertext: Uint8Array;
}

/** Throws {@link KeyFault} `wrong-password` or `damaged`, which name the part as `what`. */
export async function decryptPart(
  { encryption, ciphertext }: EncryptedPart,
  what: string,
  password: string | null,
  iterations: Iterations,
): Promise<Uint8Array> {
  iterations.spend(encryption.iterations, encryption.name);
  const read = await decryptDer(encryption.cipher, encryption.derive(password), ciphertext);
  if (read.ok) return read.plaintext;
  throw read.because === 'password'
    ? wrongPassword(what)
    : damaged(`${what} is encrypted with this password, but its end is broken`);
}

/** SafeContents (RFC 7292 4.2); at most as deep as any program nests them. */
export async function readBags(
  safe: DerElement,
  password: string | null,
  iterations: Iterations,
  depth = 0,
): Promise<readonly SafeBag[]> {
  const bags: SafeBag[] = [];
  for (const bag of childrenOf(safe)) {
    const [typeElement, holder, attributeSet] = childrenOf(bag);
    const type = oidOf(typeElement).replace(bagOids.types, '');
    const value = childrenOf(holder)[0];
    const attributes = attributeSet === undefined ? {} : readAttributes(attributeSet);
    if (type === '6' && depth < 4 && value !== undefined) {
      bags.push(...(await readBags(value, password, iterations, depth + 1)));
    } else {
      const read = await readBag(type, value, password, iterations);
      bags.push({ ...read, ...attributes });
    }
  }
  return bags;
}

async function readBag(
  type: string,
  value: DerElement | undefined,
  password: string | null,
  iterations: Iterations,
): Promise<SafeBag> {
  if (type === '1' && value !== undefined) return { type: 'key', bytes: value.encoded };
  if (type === '2') {
    const [algorithm, ciphertext] = childrenOf(value);
    if (algorithm === undefined) throw damaged('the algorithm of its key is missing');
    const part = {
      encryption: readPasswordEncryption(algorithm),
      ciphertext: octetsOf(ciphertext),
    };
    const what = 'the private key in the PKCS #12 key store';
    return { type: 'key', bytes: await decryptPart(part, what, password, iterations) };
  }
  if (type === '3') {
    const [kind, certificate] = childrenOf(value);
    if (oidOf(kind) === bagOids.x509Certificate) {
      return { type: 'certificate', bytes: octetsOf(childrenOf(certificate)[0]) };
    }
  }
  return { type: 'other', bytes: new Uint8Array() };
}

function readAttributes(set: DerElement): Pick<SafeBag, 'alias' | 'localKeyId'> {
  const attributes: { alias?: string; localKeyId?: string } = {};
  for (const attribute of childrenOf(set)) {
    const [type, values] = childrenOf(attribute);
    const oid = oidOf(type);
    const value = childrenOf(values)[0]?.contents;
    if (value === undefined) continue;
    if (oid === bagOids.friendlyName) attributes.alias = decodeUtf16(value, 'big');
    if (oid === bagOids.localKeyId) attributes.localKeyId = Buffer.from(value).toString('hex');
  }
  return attributes;
}
