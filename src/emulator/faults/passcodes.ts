import { encodeBase64, encodeBase64Url, encodeUtf8, type RandomBytes } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { encryptPayload } from '../../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import { swapCase } from '../../text.ts';
import { editResult, editSuccess, withField } from './edit.ts';
import {
  defineServiceFaults,
  type Hooks,
  type ServicePoints,
  type SigninSituation,
} from './points.ts';

/** Passcodes that a comparison which is not exact takes for the right one. */
export const nearPasscodeFaults = defineServiceFaults({ diagnosis: 'passcode-mismatch' })({
  'passcode-other': {
    title: 'Returns another passcode of the same length',
    apply: { passcode: (right, { randomBytes }) => randomText(right.length, randomBytes) },
  },
  'passcode-empty': { title: 'Returns an empty passcode', apply: returns(() => '') },
  'passcode-doubled': {
    title: 'Returns the passcode twice over',
    apply: returns((right) => right + right),
  },
  'passcode-cut': {
    title: 'Returns the passcode without its last character',
    apply: returns((right) => right.slice(0, -1)),
  },
  'passcode-end': {
    title: 'Returns the passcode without its first character',
    apply: returns((right) => right.slice(1)),
  },
  'passcode-other-end': {
    title: 'Returns the passcode with another last character',
    apply: returns((right) => right.slice(0, -1) + (right.endsWith('x') ? 'y' : 'x')),
  },
  'passcode-reversed': {
    title: 'Returns the passcode backwards',
    apply: returns((right) => [...right].reverse().join('')),
  },
  'passcode-other-case': {
    title: 'Returns the passcode with upper and lower case swapped',
    apply: returns(swapCase),
  },
  'passcode-line-end': {
    title: 'Returns the passcode and a line end',
    diagnosis: 'wrong-key',
    apply: returns((right) => `${right}\n`),
  },
  'passcode-space-before': {
    title: 'Returns the passcode behind a space',
    apply: returns((right) => ` ${right}`),
  },
  'passcode-space-behind': {
    title: 'Returns the passcode and a space',
    apply: returns((right) => `${right} `),
  },
  'passcode-space-inside': {
    title: 'Returns the passcode with a space in its middle',
    apply: returns((right) => withInside(right, ' ')),
  },
  'passcode-hyphen-inside': {
    title: 'Returns the passcode with a hyphen in its middle',
    apply: returns((right) => withInside(right, '-')),
  },
  'passcode-punctuation': {
    title: 'Returns hyphens alone, one more than the passcode has characters',
    apply: returns((right) => '-'.repeat(right.length + 1)),
  },
  'passcode-accent': {
    title: 'Returns the passcode with an accent on its first letter',
    apply: returns((right) => right.replace(/^./u, '$&\u0301')),
  },
  'passcode-zero-width': {
    title: 'Returns the passcode with a zero-width space in its middle',
    apply: returns((right) => withInside(right, '\u200b')),
  },
  'passcode-nul': {
    title: 'Returns the passcode, a NUL and more',
    diagnosis: 'wrong-key',
    apply: returns((right) => `${right}\0x`),
  },
  'passcode-full-width': {
    title: 'Returns the passcode with its letters in full width',
    apply: returns((right) => right.replace(/[!-~]/g, (character) => moved(character, 0xfee0))),
  },
  'passcode-high-bytes': {
    title: 'Returns the passcode with 256 added to the code of each character',
    apply: returns((right) => right.replace(/[!-~]/g, (character) => moved(character, 0x100))),
  },
  'passcode-kelvin': {
    title: 'Returns the passcode with the Kelvin sign in place of K, or behind',
    apply: returns((right) =>
      /k/i.test(right) ? right.replace(/k/i, '\u212a') : `${right}\u212a`,
    ),
  },
  'passcode-percent': { title: 'Returns "%" as passcode', apply: returns(() => '%') },
  'passcode-pattern': { title: 'Returns ".*" as passcode', apply: returns(() => '.*') },
  'passcode-number-like': {
    title: 'Returns another passcode that a loose comparison takes for the same number',
    apply: returns(() => '0e730083585098205672038412874110'),
  },
});

/** A `ptn_sp` that can't be decrypted with the user's key, or isn't encrypted. */
export const undecryptableFaults = defineServiceFaults({})({
  'ptn-sp-plain': {
    title: 'Returns the passcode as it is, not encrypted',
    diagnosis: 'payload-encoding',
    apply: { ptnSp: (_, seen) => passcodeIn(seen) },
  },
  'ptn-sp-base64': {
    title: 'Returns the passcode in Base64, not encrypted',
    diagnosis: 'payload-encoding',
    apply: { ptnSp: (_, seen) => encodeBase64(encodeUtf8(passcodeIn(seen))) },
  },
  'ptn-sp-empty': {
    title: 'Returns an empty ptn_sp',
    diagnosis: 'field-malformed',
    apply: { ptnSp: () => '' },
  },
  'ptn-sp-cut': {
    title: 'Returns ptn_sp without its last bytes',
    diagnosis: 'payload-encoding',
    apply: { ptnSp: (right, { cipher }) => cut(right, cipher) },
  },
  'ptn-sp-of-another-key': {
    title: 'Returns a random passcode, encrypted with another key',
    diagnosis: 'bad-padding',
    apply: { ptnSp: (_, seen) => withOtherKey(seen) },
  },
  'ptn-sp-null': {
    title: 'Returns null as ptn_sp',
    diagnosis: 'field-type',
    apply: editResult(withField('ptn_sp', null), 'authenticate'),
  },
  'ptn-sp-in-message': {
    title: 'Returns the passcode as message, and no ptn_sp',
    diagnosis: 'field-missing',
    apply: editSuccess(
      (response, seen) => ({ ...response, message: passcodeIn(seen), result: {} }),
      'authenticate',
    ),
  },
  'ptn-sp-tag-damaged': {
    title: 'Damages the authentication tag of ptn_sp, and nothing else (GCM)',
    diagnosis: 'bad-tag',
    apply: { ptnSp: (right, { cipher }) => withDamagedTag(right, cipher) },
  },
});

function returns(change: (right: string) => string): Hooks<ServicePoints> {
  return { passcode: change };
}

function randomText(length: number, randomBytes: RandomBytes): string {
  return encodeBase64Url(randomBytes(Math.max(1, length))).slice(0, Math.max(1, length));
}

function withInside(text: string, inserted: string): string {
  const characters = [...text];
  const middle = characters.length >> 1;
  return [...characters.slice(0, middle), inserted, ...characters.slice(middle)].join('');
}

function moved(character: string, distance: number): string {
  return String.fromCharCode(character.charCodeAt(0) + distance);
}

function passcodeIn({ user }: Pick<SigninSituation, 'user'>): string {
  return user?.superPasscode?.reveal() ?? '';
}

function cut(payload: string, { encoding }: Cipher): string {
  const bytes = Buffer.from(payload, encoding);
  return bytes.subarray(0, Math.max(1, bytes.length - 5)).toString(encoding);
}

function withOtherKey({ cipher, randomBytes }: SigninSituation): string {
  const key = generatePerUserKey(randomBytes);
  return encryptPayload(encodeUtf8(randomText(24, randomBytes)), key, cipher, randomBytes);
}

function withDamagedTag(payload: string, cipher: Cipher): string {
  const { algorithm, encoding, tag, iv, ivlen } = cipher;
  if (!algorithm.endsWith('-gcm')) return payload;
  const bytes = Buffer.from(payload, encoding);
  const afterIv = iv === 'prefix' ? Number(ivlen ?? 12) : 0;
  const at = tag === 'after-iv' ? afterIv : bytes.length - 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString(encoding);
}
