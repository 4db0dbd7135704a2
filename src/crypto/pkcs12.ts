import type { DerElement } from './der.ts';
import {
  childrenOf,
  damaged,
  KeyFault,
  numberOf,
  octetsOf,
  oidOf,
  wrongPassword,
} from './der-fields.ts';
import { decryptDer, Iterations, readPasswordEncryption } from './password-encryption.ts';
import {
  decryptPart,
  definite,
  type EncryptedPart,
  readBags,
  rootOf,
  type SafeBag,
} from './pkcs12-bags.ts';
import { type Mac, readMac } from './pkcs12-mac.ts';

/** RFC 7292 4, 5; RFC 2315 14. */
const oids = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  envelopedData: '1.2.840.113549.1.7.3',
  encryptedData: '1.2.840.113549.1.7.6',
};

interface Pfx {
  /** The AuthenticatedSafe in DER. */
  readonly contents: Uint8Array;
  readonly mac?: Mac;
}

/** What the file itself shows of its protection, such as "PBES2 with PBKDF2 (HMAC-SHA-256) and AES-256-CBC". */
export async function describePkcs12(bytes: Uint8Array): Promise<readonly string[]> {
  const { contents, mac } = await readPfx(bytes);
  const parts = childrenOf(rootOf(contents)).map((part) => {
    const encryption = encryptedPart(part)?.encryption;
    return encryption && `${encryption.name}, ${encryption.iterations} iterations`;
  });
  const names = parts.filter((name) => name !== undefined);
  return [...(mac ? [`${mac.name}, ${mac.iterations} iterations`] : []), ...names];
}

/**
 * The contents of a PKCS #12 file; without a password, those of a file whose password is empty or missing. Throws
 * {@link KeyFault}: `encrypted`, `wrong-password`, `damaged`, `unsupported-encryption`, `too-many-iterations`.
 */
export async function readPkcs12(
  bytes: Uint8Array,
  password: string | undefined,
): Promise<readonly SafeBag[]> {
  const pfx = await readPfx(bytes);
  const iterations = new Iterations();
  for (const candidate of password === undefined ? ['', null] : [password]) {
    const bags = await openWith(candidate, pfx, iterations);
    if (bags !== undefined) return bags;
  }
  if (password === undefined) throw new KeyFault({ code: 'encrypted', reason: passwordNeeded });
  if (await decryptsSome(pfx, password, iterations)) {
    throw damaged('the password is right, but the contents are not those of its MAC');
  }
  throw wrongPassword('the PKCS #12 key store');
}

const passwordNeeded = 'it is a PKCS #12 key store that is encrypted with a password';

/** Undefined if the password is wrong. */
async function openWith(
  password: string | null,
  { contents, mac }: Pfx,
  iterations: Iterations,
): Promise<readonly SafeBag[] | undefined> {
  if (mac !== undefined) {
    iterations.spend(mac.iterations, mac.name);
    if (!mac.verifies(password, contents)) return undefined;
  }
  try {
    return await readSafes(contents, password, iterations);
  } catch (error) {
    const isWrong = error instanceof KeyFault && error.refusal.code === 'wrong-password';
    if (isWrong && mac === undefined) return undefined;
    throw error;
  }
}

async function decryptsSome(
  { contents }: Pfx,
  password: string,
  iterations: Iterations,
): Promise<boolean> {
  for (const part of childrenOf(rootOf(contents))) {
    const encrypted = encryptedPart(part);
    if (encrypted === undefined) continue;
    const { encryption, ciphertext } = encrypted;
    iterations.spend(encryption.iterations, encryption.name);
    const keys = encryption.derive(password);
    const read = await decryptDer(encryption.cipher, keys, ciphertext);
    if (read.ok || read.because === 'damage') return true;
  }
  return false;
}

/** RFC 7292 4. */
async function readPfx(bytes: Uint8Array): Promise<Pfx> {
  const [version, safe, macData] = childrenOf(rootOf(await definite(bytes)));
  if (numberOf(version) !== 3) throw damaged('its version is not 3');
  const contents = await definite(dataOf(safe));
  return macData === undefined ? { contents } : { contents, mac: readMac(macData) };
}

/** The bytes of a ContentInfo of type data. */
function dataOf(info: DerElement | undefined): Uint8Array {
  const [type, content] = childrenOf(info);
  const oid = oidOf(type);
  if (oid === oids.data) return octetsOf(childrenOf(content)[0]);
  throw publicKeyProtection(oid);
}

/** RFC 7292 3.1: the modes with public keys, which hardly any program writes. */
function publicKeyProtection(oid: string): KeyFault {
  const isKnown = oid === oids.signedData || oid === oids.envelopedData;
  if (!isKnown) return damaged(`it contains the unknown type ${oid}`);
  const reason =
    "it is a PKCS #12 key store in one of the modes with public keys, which isn't supported";
  return new KeyFault({ code: 'unsupported-encryption', reason });
}

/** The encryption and contents of a ContentInfo of type encrypted data (RFC 2315 13). */
function encryptedPart(info: DerElement): EncryptedPart | undefined {
  const [type, content] = childrenOf(info);
  if (oidOf(type) !== oids.encryptedData) return undefined;
  const [, encrypted] = childrenOf(childrenOf(content)[0]);
  const [, algorithm, ciphertext] = childrenOf(encrypted);
  if (algorithm === undefined) throw damaged('the algorithm of an encrypted part is missing');
  return { encryption: readPasswordEncryption(algorithm), ciphertext: octetsOf(ciphertext) };
}

async function readSafes(
  contents: Uint8Array,
  password: string | null,
  iterations: Iterations,
): Promise<readonly SafeBag[]> {
  const opened: SafeBag[] = [];
  for (const part of childrenOf(rootOf(contents))) {
    const encrypted = encryptedPart(part);
    const bytes =
      encrypted === undefined
        ? dataOf(part)
        : await decryptPart(encrypted, 'a part of the PKCS #12 key store', password, iterations);
    const safe = rootOf(await definite(bytes));
    opened.push(...(await readBags(safe, password, iterations)));
  }
  return opened;
}
