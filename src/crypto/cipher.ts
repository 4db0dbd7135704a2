import { AuthcliError } from '../errors.ts';
import { nearest, quoted } from '../text.ts';

/** The block ciphers with their modes, as OpenSSL names them. */
export type AlgorithmName =
  | `${'aes' | 'aria'}-${'128' | '192' | '256'}-${'cbc' | 'ecb' | 'ctr' | 'cfb' | 'gcm'}`
  | 'des-ede3-cbc';

/** How the key's characters become key bytes; the first is the default. */
export const keyReadings = [
  ...(['utf8', 'hex', 'base64', 'sha256', 'md5', 'md5-hex'] as const),
  ...(['evp-md5', 'evp-sha256', 'sha1prng'] as const),
] as const;

/** Where the IV comes from; the first is the default. A fixed one is written `hex:` and its digits. */
export const ivRules = ['prefix', 'zero', 'key-head', 'key-tail'] as const;

/** What fills the last block; the first is the default for block modes, the last for stream modes. */
export const paddings = ['pkcs7', 'zero', 'ansix923', 'iso10126', 'none'] as const;

/** How the payload's bytes are written; the first is the default. */
export const payloadEncodings = ['base64', 'base64url', 'hex'] as const;

/** Where GCM's authentication tag is; the first is the default. */
export const tagPlaces = ['suffix', 'after-iv'] as const;

/** GCM's IV lengths in bytes; the first is the default. */
export const ivLengths = [12, 16] as const;

export type KeyReading = (typeof keyReadings)[number];
export type IvRule = (typeof ivRules)[number] | `hex:${string}`;
export type Padding = (typeof paddings)[number];
export type PayloadEncoding = (typeof payloadEncodings)[number];
export type TagPlace = (typeof tagPlaces)[number];
export type IvLength = (typeof ivLengths)[number];

/** The bytes that a reading always gives, whatever the key; absent where the key decides. */
const fixedKeyBytes: Readonly<Partial<Record<KeyReading, number>>> = {
  sha256: 32,
  md5: 16,
  'md5-hex': 32,
};

/**
 * The cipher of a payload: everything that has to be agreed on beside the per-user key. Parts that
 * don't apply are absent: `iv` in ECB and with `evp-*`, `padding` in GCM, `tag` and `ivlen` elsewhere.
 */
export interface Cipher {
  readonly algorithm: AlgorithmName;
  readonly key: KeyReading;
  readonly iv?: IvRule;
  readonly padding?: Padding;
  readonly encoding: PayloadEncoding;
  readonly tag?: TagPlace;
  readonly ivlen?: IvLength;
}

/** The default: a key of 32 characters is exactly an AES-256 key. */
export const defaultCipher: Cipher = {
  algorithm: 'aes-256-cbc',
  key: 'utf8',
  iv: 'prefix',
  padding: 'pkcs7',
  encoding: 'base64',
};

/** Whether the key is derived from a passphrase and the salt in the payload (OpenSSL, CryptoJS). */
export function isSalted(key: KeyReading): key is 'evp-md5' | 'evp-sha256' {
  return key === 'evp-md5' || key === 'evp-sha256';
}

/** The modes of operation: ECB, CBC, CFB (CFB128) and CTR of NIST SP 800-38A, GCM of SP 800-38D. */
export type Mode = 'cbc' | 'ecb' | 'ctr' | 'cfb' | 'gcm';

/** Sizes in bytes. */
export interface Algorithm {
  readonly name: AlgorithmName;
  readonly mode: Mode;
  readonly keyBytes: number;
  readonly blockBytes: number;
  /** The IV lengths it takes, the usual one first; none in ECB. */
  readonly ivBytes: readonly number[];
  readonly tagBytes: number;
  /** The paddings it takes, the usual one first; none in GCM. */
  readonly paddings: readonly Padding[];
}

export const algorithms: readonly Algorithm[] = [
  ...(['aes', 'aria'] as const).flatMap((family) =>
    ([256, 192, 128] as const).flatMap((bits) =>
      (['cbc', 'ecb', 'ctr', 'cfb', 'gcm'] as const).map((mode) =>
        algorithm(`${family}-${bits}-${mode}`, mode, bits / 8, 16),
      ),
    ),
  ),
  algorithm('des-ede3-cbc', 'cbc', 24, 8),
];

const byName = new Map<string, Algorithm>(algorithms.map((entry) => [entry.name, entry]));

export function algorithmOf(cipher: Cipher): Algorithm {
  const found = byName.get(cipher.algorithm);
  if (found === undefined) throw new TypeError(`no such algorithm: ${cipher.algorithm}`);
  return found;
}

/** The length of the cipher's IV in bytes: 0 in ECB, the chosen one in GCM. */
export function ivBytesOf(cipher: Cipher): number {
  return cipher.ivlen ?? algorithmOf(cipher).ivBytes[0] ?? 0;
}

/** Whether ciphertext and plaintext are whole blocks (ECB, CBC). */
export function isBlockMode(mode: Mode): boolean {
  return mode === 'cbc' || mode === 'ecb';
}

function algorithm(
  name: AlgorithmName,
  mode: Mode,
  keyBytes: number,
  blockBytes: number,
): Algorithm {
  const base = { name, mode, keyBytes, blockBytes };
  // a shorter tag is easier to forge (SP 800-38D 5.2.1.2), so no other length is taken
  if (mode === 'gcm') return { ...base, ivBytes: ivLengths, tagBytes: 16, paddings: [] };
  return {
    ...base,
    ivBytes: mode === 'ecb' ? [] : [blockBytes],
    tagBytes: 0,
    paddings: isBlockMode(mode) ? paddings : ['none', 'pkcs7'],
  };
}

/**
 * Reads the notation `ALGORITHM?key=…&iv=…&padding=…&encoding=…` (`tag` and `ivlen` with GCM) in any order and case, with
 * the defaults for what is left out, or the name of a preset.
 * @throws {AuthcliError} `usage`, naming the part and its value
 */
export function parseCipher(notation: string): Cipher {
  const text = notation.trim().toLowerCase();
  if (Object.hasOwn(presets, text)) return parseCipher(presetOf(text).cipher);
  const [name = '', ...rest] = text.split('?');
  const algorithm = byName.get(name);
  if (algorithm === undefined) {
    const given = notation.trim().split('?')[0] ?? '';
    const known = [...algorithms.map(({ name }) => name), ...Object.keys(presets)];
    throw unknown('algorithm', given, known, allowedAlgorithms);
  }
  return completeCipher(algorithm, splitParts(rest.join('?')));
}

/** Prints a cipher in the canonical form: every part that applies, in the order of the notation. */
export function formatCipher(cipher: Cipher): string {
  return written(cipher, () => true);
}

/**
 * A cipher in short, as users write it: only what is not the default, and the parts in which it
 * differs from `beside`. `parseCipher` reads it as the same cipher.
 */
export function briefCipher(cipher: Cipher, beside: Cipher = cipher): string {
  const usual = { ...parseCipher(`${cipher.algorithm}?key=${cipher.key}`), key: defaultCipher.key };
  return written(cipher, (name) => {
    const isUsual = cipher[name] === usual[name];
    return !isUsual || (beside[name] !== undefined && beside[name] !== cipher[name]);
  });
}

function written(cipher: Cipher, isShown: (name: PartName) => boolean): string {
  const parts = partNames
    .filter((name) => cipher[name] !== undefined && isShown(name))
    .map((name) => `${name}=${cipher[name]}`);
  return [cipher.algorithm, parts.join('&')].filter((text) => text !== '').join('?');
}

function splitParts(text: string): Parts {
  const parts = new Map<PartName, string>();
  for (const part of text.split('&').filter((piece) => piece !== '')) {
    const [name = '', ...value] = part.split('=');
    const known = partNames.find((candidate) => candidate === name.trim());
    if (known === undefined) throw unknown('part', name, partNames);
    if (parts.has(known)) throw refused(`The cipher's part ${known} is given twice.`);
    parts.set(known, value.join('=').trim());
  }
  return parts;
}

const partNames = ['key', 'iv', 'padding', 'encoding', 'tag', 'ivlen'] as const;

type PartName = (typeof partNames)[number];
type Parts = ReadonlyMap<PartName, string>;

/** The cipher of an algorithm and the parts given, the rest by default. */
function completeCipher(algorithm: Algorithm, parts: Parts): Cipher {
  const { name, mode, keyBytes } = algorithm;
  const key = choose(parts, 'key', keyReadings) ?? defaultCipher.key;
  const given = fixedKeyBytes[key] ?? keyBytes;
  if (given < keyBytes) {
    const why = `it gives ${given} bytes, ${keyBytes} are needed`;
    throw notApplicable(`key=${key}`, name, why, 'sha256 and md5-hex give 32 bytes.');
  }
  const encoding = choose(parts, 'encoding', payloadEncodings) ?? defaultCipher.encoding;
  const iv = completeIv(algorithm, key, parts);
  const cipher = { algorithm: name, key, ...(iv && { iv }) };
  if (mode === 'gcm') {
    if (parts.has('padding')) throw notApplicable('padding', name, 'GCM needs none');
    const tag = choose(parts, 'tag', tagPlaces) ?? tagPlaces[0];
    return { ...cipher, encoding, tag, ivlen: completeIvLength(parts, iv) };
  }
  const other = (['tag', 'ivlen'] as const).find((part) => parts.has(part));
  if (other !== undefined) throw notApplicable(other, name, 'only GCM has it');
  const padding = choose(parts, 'padding', paddings) ?? algorithm.paddings[0];
  if (padding === undefined || algorithm.paddings.includes(padding)) {
    return { ...cipher, padding, encoding };
  }
  const allowed = `Allowed: ${algorithm.paddings.join(', ')}.`;
  throw notApplicable(`padding=${padding}`, name, 'a stream mode needs none', allowed);
}

function notApplicable(part: string, algorithm: string, why: string, hint?: string): AuthcliError {
  return refused(`${part} doesn't apply to ${algorithm}: ${why}.`, hint ?? `Leave ${part} out.`);
}

function completeIv(algorithm: Algorithm, key: KeyReading, parts: Parts): IvRule | undefined {
  const given = parts.get('iv');
  if (algorithm.mode === 'ecb' || isSalted(key)) {
    if (given === undefined) return undefined;
    const reason = isSalted(key) ? `key=${key} derives the IV` : 'ECB has no IV';
    throw notApplicable('iv', algorithm.name, reason);
  }
  if (given?.startsWith('hex:')) return fixedIv(algorithm, given.slice('hex:'.length));
  return choose(parts, 'iv', ivRules, `${ivRules.join(', ')}, hex:…`) ?? ivRules[0];
}

function fixedIv({ name, ivBytes }: Algorithm, digits: string): IvRule {
  const lengths = ivBytes.map((bytes) => bytes * 2);
  if (/^[0-9a-f]*$/.test(digits) && lengths.includes(digits.length)) return `hex:${digits}`;
  throw refused(
    `The cipher's iv ${quoted(`hex:${digits}`)} doesn't fit ${name}.`,
    `After hex: it takes ${lengths.join(' or ')} hexadecimal digits.`,
  );
}

function completeIvLength(parts: Parts, iv: IvRule | undefined): IvLength {
  const chosen = choose(parts, 'ivlen', ['12', '16'] as const);
  const given = ivLengths.find((bytes) => String(bytes) === chosen);
  if (iv === undefined || !iv.startsWith('hex:')) return given ?? ivLengths[0];
  const fixed = ivLengths.find((bytes) => bytes * 2 === iv.length - 'hex:'.length) ?? ivLengths[0];
  if (given === undefined || given === fixed) return fixed;
  throw refused(`ivlen=${given} contradicts the iv of ${fixed} bytes.`, 'Leave ivlen out.');
}

function choose<Value extends string>(
  parts: Parts,
  name: PartName,
  allowed: readonly Value[],
  allowedText?: string,
): Value | undefined {
  const given = parts.get(name);
  if (given === undefined) return undefined;
  const found = allowed.find((value) => value === given);
  if (found === undefined) throw unknown(name, given, allowed, allowedText);
  return found;
}

const allowedAlgorithms =
  '{aes,aria}-{128,192,256}-{cbc,ecb,ctr,cfb,gcm}, des-ede3-cbc, or the name of a preset';

function unknown(
  part: string,
  given: string,
  known: readonly string[],
  allowed = known.join(', '),
): AuthcliError {
  const near = nearest(given, known);
  const end = near === undefined ? '.' : `; did you mean "${near}"?`;
  const message = `The cipher's ${part} ${quoted(given)} doesn't exist${end}`;
  return refused(message, `Allowed: ${allowed}.`);
}

function refused(message: string, hint = ''): AuthcliError {
  return new AuthcliError('usage', message, { hint });
}

/**
 * Every cipher that the notation describes, fixed IVs (`hex:…`) aside: what a search has to cover
 * and a test has to prove.
 */
export function listCiphers(): Cipher[] {
  return algorithms.flatMap((algorithm) =>
    keyReadings
      .filter((key) => (fixedKeyBytes[key] ?? 32) >= algorithm.keyBytes)
      .flatMap((key) => ivPartsOf(algorithm, key).map((iv) => ({ key, ...iv })))
      .flatMap((parts) => endings(algorithm).map((ending) => ({ ...parts, ...ending })))
      .map((parts) => ({ algorithm: algorithm.name, ...parts })),
  );
}

function ivPartsOf(algorithm: Algorithm, key: KeyReading): Pick<Cipher, 'iv'>[] {
  if (algorithm.mode === 'ecb' || isSalted(key)) return [{}];
  return ivRules.map((iv) => ({ iv }));
}

type Ending = Omit<Cipher, 'algorithm' | 'key' | 'iv'>;

function endings({ mode, paddings }: Algorithm): Ending[] {
  return payloadEncodings.flatMap((encoding): Ending[] => {
    if (mode !== 'gcm') return paddings.map((padding) => ({ padding, encoding }));
    return tagPlaces.flatMap((tag) => ivLengths.map((ivlen) => ({ encoding, tag, ivlen })));
  });
}

/** By name, the ones met most often first: the cipher, and which call makes it. */
const presets: Readonly<Record<string, string>> = {
  default: 'aes-256-cbc a 32-character key is an AES-256 key; a random IV before the ciphertext',
  'java-aes-cbc':
    'aes-256-cbc Java, Kotlin: AES/CBC/PKCS5Padding, cipher.getIV() before the ciphertext',
  'java-aes-cbc-key-iv':
    'aes-256-cbc?iv=key-head Java: AES/CBC/PKCS5Padding with key.substring(0, 16) as IV',
  'java-aes-128-key-iv':
    'aes-128-cbc?iv=key-head Java: the first 16 characters of the key as AES-128 key and as IV',
  'java-aes': 'aes-256-ecb Java: Cipher.getInstance("AES"), which is AES/ECB/PKCS5Padding',
  'java-aes-gcm': 'aes-256-gcm Java: AES/GCM/NoPadding, the IV before the ciphertext',
  'java-sha1prng':
    'aes-128-ecb?key=sha1prng Java: KeyGenerator("AES").init(128, SHA1PRNG seeded with the key), Cipher "AES"',
  'java-aria-cbc': 'aria-256-cbc Java with Bouncy Castle: ARIA/CBC/PKCS7Padding',
  'java-desede': 'des-ede3-cbc Java: DESede/CBC/PKCS5Padding with the first 24 characters',
  'node-aes-256-cbc':
    'aes-256-cbc?encoding=hex Node: createCipheriv("aes-256-cbc", key, iv), IV and ciphertext in hex',
  'node-aes-256-gcm':
    'aes-256-gcm?tag=after-iv Node: createCipheriv("aes-256-gcm"), Buffer.concat([iv, authTag, ciphertext])',
  'node-aes-256-ctr':
    'aes-256-ctr?encoding=hex Node: createCipheriv("aes-256-ctr", key, iv), IV and ciphertext in hex',
  'cryptojs-passphrase':
    'aes-256-cbc?key=evp-md5 CryptoJS.AES.encrypt(text, key): begins with "U2FsdGVkX1"',
  'cryptojs-utf8-key':
    'aes-256-cbc?iv=key-head CryptoJS: enc.Utf8.parse(key), its first 16 characters as IV',
  'cryptojs-ecb': 'aes-256-ecb CryptoJS: enc.Utf8.parse(key), mode.ECB',
  'openssl-enc':
    'aes-256-cbc?key=evp-sha256 openssl enc -aes-256-cbc -a -pass, from 1.1.0 on, without -pbkdf2',
  'openssl-enc-md5':
    'aes-256-cbc?key=evp-md5 openssl enc -aes-256-cbc -a -pass of 1.0 and before, or with -md md5',
  'php-openssl': 'aes-256-cbc PHP: base64_encode($iv . openssl_encrypt(…, OPENSSL_RAW_DATA, $iv))',
  'php-openssl-zero-iv':
    'aes-256-cbc?iv=zero PHP: openssl_encrypt($text, "aes-256-cbc", $key), no IV given',
  'php-md5-key': 'aes-256-cbc?key=md5-hex&iv=zero PHP: md5($key) as key: 32 small hex digits',
  'php-mcrypt':
    'aes-256-cbc?padding=zero PHP: mcrypt_encrypt(MCRYPT_RIJNDAEL_128, …, MCRYPT_MODE_CBC), filled with NUL bytes',
  'python-aes-gcm': 'aes-256-gcm Python: AESGCM(key).encrypt(nonce, …), the nonce first',
  'python-pycryptodome-gcm':
    'aes-256-gcm?tag=after-iv&ivlen=16 PyCryptodome: AES.MODE_GCM, nonce (16 bytes) + tag + ciphertext',
  'python-sha256-key':
    'aes-256-cbc?key=sha256 Python: hashlib.sha256(key).digest() as key, the IV first',
  'go-aes-gcm': 'aes-256-gcm Go: gcm.Seal(nonce, nonce, …)',
  'go-aes-cfb': 'aes-256-cfb?encoding=base64url Go: cipher.NewCFBEncrypter with base64.URLEncoding',
  'dotnet-aes-cbc': 'aes-256-cbc .NET: Aes.Create() (CBC, PKCS7), aes.IV before the ciphertext',
  'hex-key-aes-128':
    'aes-128-cbc?key=hex a key of 32 hex digits read as the 16 bytes of an AES-128 key',
};

function presetOf(name: string) {
  const [cipher = '', ...description] = presets[name]?.split(' ') ?? [];
  return { name, cipher: formatCipher(parseCipher(cipher)), description: description.join(' ') };
}

/** Ciphers that common stacks produce when the example of their documentation is followed. */
export const cipherPresets = Object.keys(presets).map(presetOf);
