import { decodeHex, encodeUtf8 } from '../bytes.ts';
import { counted } from '../text.ts';
import { readDerElement } from './der.ts';
import { childrenOf, damaged, KeyFault, octetsOf, wrongPassword } from './der-fields.ts';
import { evpBytesToKey } from './key-derivation.ts';
import { entriesOf, type KeyEntry, keyOf, type OpenedKeys } from './key-entries.ts';
import { encryptedKey, type Locked } from './key-structure.ts';
import { dekCipher } from './password-ciphers.ts';
import { decryptDer, Iterations, readPasswordEncryption } from './password-encryption.ts';
import { describePkcs12, readPkcs12 } from './pkcs12.ts';

/**
 * Decrypts a private key or key store. Throws {@link KeyFault}: `encrypted` where it needs a password,
 * `wrong-password`, `unsupported-encryption`, `too-many-iterations` or `damaged`.
 */
export async function unlock(locked: Locked, password: string | undefined): Promise<OpenedKeys> {
  if (locked.form === 'PKCS #12') return entriesOf(await readPkcs12(locked.bytes, password));
  if (password === undefined) throw new KeyFault(encryptedKey);
  const der = await (locked.form === 'PEM'
    ? decryptPem(locked, password)
    : decryptPkcs8(locked.bytes, password));
  return { entries: [{ key: keyOf(der), certificates: [] }], others: [] };
}

/** How it is protected, as the file itself says: "PBES2 with …, 2048 iterations". Throws {@link KeyFault}. */
export async function describeProtection(locked: Locked): Promise<readonly string[]> {
  if (locked.form === 'PKCS #12') return describePkcs12(locked.bytes);
  if (locked.form === 'PEM') {
    return [`traditional PEM with MD5 and ${pemCipher(locked).cipher.name}, 1 iteration`];
  }
  const { name, iterations } = pkcs8Parts(locked.bytes).encryption;
  return [`${name}, ${counted(iterations, 'iteration')}`];
}

async function decryptPkcs8(bytes: Uint8Array, password: string): Promise<Uint8Array> {
  const { encryption, ciphertext } = pkcs8Parts(bytes);
  const { iterations, name, cipher, derive } = encryption;
  new Iterations().spend(iterations, name);
  return plaintextOf(await decryptDer(cipher, derive(password), ciphertext));
}

/** EncryptedPrivateKeyInfo (RFC 5958 3). */
function pkcs8Parts(bytes: Uint8Array) {
  const root = readDerElement(bytes);
  const [algorithm, ciphertext] = childrenOf(root.ok ? root.element : undefined);
  if (algorithm === undefined) throw damaged('its algorithm is missing');
  return { encryption: readPasswordEncryption(algorithm), ciphertext: octetsOf(ciphertext) };
}

type LockedPem = Extract<Locked, { form: 'PEM' }>;

/** OpenSSL's traditional PEM: MD5 once over password and the first eight bytes of the IV (PEM_read_bio(3)). */
async function decryptPem(locked: LockedPem, password: string): Promise<Uint8Array> {
  const { cipher, iv } = pemCipher(locked);
  const key = evpBytesToKey('md5', encodeUtf8(password), iv.subarray(0, 8), cipher.keyBytes);
  return plaintextOf(await decryptDer(cipher, { key, iv }, locked.bytes));
}

function pemCipher({ info }: LockedPem) {
  const [name = '', digits = ''] = info.split(',').map((part) => part.trim());
  const cipher = dekCipher(name);
  const iv = decodeHex(digits);
  if (cipher === undefined) {
    const shown = /^[\w-]{1,40}$/.test(name) ? name : 'an unknown cipher';
    throw new KeyFault({
      code: 'unsupported-encryption',
      reason: `its DEK-Info names ${shown}, which is not supported`,
      fix: (file) => `Convert it: \`openssl pkey -in ${file} -out decrypted.pem\`.`,
    });
  }
  if (iv?.length !== cipher.blockBytes) {
    throw damaged('the IV in its DEK-Info is cut or not hexadecimal');
  }
  return { cipher, iv };
}

function plaintextOf(read: Awaited<ReturnType<typeof decryptDer>>): Uint8Array {
  if (read.ok) return read.plaintext;
  throw read.because === 'password'
    ? wrongPassword('the private key')
    : damaged('its encrypted part is cut, or its end is not what was encrypted with this password');
}

/** The key of a store that the alias names; the only one, where none is named. Throws {@link KeyFault} `alias`. */
export function chooseEntry(entries: readonly KeyEntry[], alias: string | undefined): KeyEntry {
  const [only, ...others] = entries;
  if (only === undefined) {
    const reason = 'it is a key store without a private key: it has certificates at most';
    throw new KeyFault({ code: 'not-a-private-key', reason });
  }
  if (only.alias === undefined || (alias === undefined && others.length === 0)) return only;
  // Java's aliases have no case
  const isNamed = (entry: KeyEntry) => entry.alias?.toLowerCase() === alias?.toLowerCase();
  const found = entries.find((entry) => entry.alias === alias) ?? entries.find(isNamed);
  if (alias !== undefined && found !== undefined) return found;
  const names = entries.map((entry) => JSON.stringify(entry.alias)).join(', ');
  const reason =
    alias === undefined
      ? `it has ${entries.length} private keys: ${names}`
      : `it has no private key with the alias ${JSON.stringify(alias)}: it has ${names}`;
  throw new KeyFault({ code: 'alias', reason, fix: () => 'Name one of them by its alias.' });
}
