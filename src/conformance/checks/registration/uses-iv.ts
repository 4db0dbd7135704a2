import { encodeBase64Url, encodeUtf8, type RandomBytes } from '../../../bytes.ts';
import {
  algorithmOf,
  type Cipher,
  formatCipher,
  type IvRule,
  isBlockMode,
  ivBytesOf,
} from '../../../crypto/cipher.ts';
import { deriveKeyMaterial } from '../../../crypto/key-derivation.ts';
import {
  decodePayload,
  decryptBytes,
  encodePayload,
  encryptPayload,
} from '../../../crypto/payload-ciphers.ts';
import { diagnose } from '../../../diagnosis/catalogue.ts';
import { usualIvs } from '../../../diagnosis/cipher-priors.ts';
import { decryptionCalls } from '../../../diagnosis/decryption-calls.ts';
import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import type { CheckDefinition } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { control, fail, isAccepted, orSkip, skip, untested } from '../../expect.ts';

/**
 * In CBC a wrong IV garbles the first block alone: a padding at the end stays right, and an
 * application that accepts noise stores it. Payloads of a single block show what it does:
 *
 * - one that is short, under the IV of the cipher, has its padding in the garbled block, so it is
 *   refused by an application that takes another IV;
 * - one without an IV in front, under a fixed IV, is refused by every application that splits the
 *   payload. Where blocks of noise are accepted too, an IV without ciphertext is taken for an empty
 *   text (Java's `doFinal` of nothing): then the IV is taken off;
 * - an IV alone, which has a padding where it is decrypted under itself, is accepted by an
 *   application that takes its IV and leaves it in the ciphertext.
 *
 * What is blamed was seen twice, and twice not in its negative control. Nothing is found of a fixed IV
 * that nobody copies, nor of an application that refuses fewer than two blocks by their length and
 * stores noise.
 */
export const usesIv: CheckDefinition = {
  id: 'registration/uses-iv',
  title: 'must decrypt partner_sp with the IV of its cipher',
  section: '4.1.2',
  sentence: 'The application decrypts partner_sp with the stored key of ptn_cd.',
  stage: 'wrong-requests',
  needs: ['registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const { cipher } = context.environment;
    const { mode } = algorithmOf(cipher);
    if (cipher.iv === undefined) skip(`The cipher ${formatCipher(cipher)} has no IV.`);
    await control(() => context.signUp(context.user));
    if (mode === 'gcm') return; // its tag fails under any other IV
    // Where the IV can't be chosen so that another one shows for certain, two keys make it so.
    for (const _ of cipher.iv === 'prefix' ? ['once'] : ['first', 'again']) {
      if (!(await acceptsShort(context))) await blameIv(context);
    }
    if (cipher.iv === 'prefix') await expectIvInFront(context);
    else if (isBlockMode(mode)) await expectFirstBlock(context);
    if (mode === 'ctr' && cipher.iv === 'prefix') await expectWholeCounter(context);
  },
};

/** A short passcode was refused: under which IV is it accepted? */
async function blameIv(context: CheckContext): Promise<never> {
  const { cipher } = context.environment;
  for (const rule of otherIvRules(cipher)) {
    // Between two IVs of ASCII digits a padding fits by chance once in 16 times: five times in a row once in a million.
    let times = 0;
    while (times < 5 && (await acceptsShort(context, rule))) times += 1;
    if (times < 5) continue;
    if (await acceptsShort(context)) break;
    const message = `A passcode of one block was refused under ${expectedIv(cipher)}, and accepted under ${ivNames(rule, cipher)}: the application decrypts with that IV.`;
    failWithIv(context, message, rule);
  }
  return untested(
    `A passcode of ${shortPasscodeLength(cipher)} characters, which fits one block, was refused under every IV that was tried, so authcli can't determine the IV of the application.`,
  );
}

async function acceptsShort(context: CheckContext, rule?: IvRule): Promise<boolean> {
  const { cipher } = context.environment;
  const { user, randomBytes } = context;
  const key = await control(() => context.obtainKey(user));
  const superPasscode = context.newPasscode().slice(0, shortPasscodeLength(cipher));
  if (cipher.iv !== 'prefix') {
    const other = rule === undefined ? cipher : { ...cipher, iv: rule };
    return isAccepted(await context.register(user, key, { superPasscode, cipher: other }));
  }
  const iv =
    rule === undefined ? withTellingEnd(cipher, randomBytes) : ivBytesOfRule(rule, key, cipher);
  return isAccepted(await context.register(user, key, { superPasscode, iv }));
}

/**
 * One block without an IV in front must be refused, which has a padding under a fixed IV, and under
 * itself: with few requests both mistakes show.
 */
async function expectIvInFront(context: CheckContext): Promise<void> {
  const { cipher } = context.environment;
  const { randomBytes } = context;
  const short = () =>
    encodeUtf8(encodeBase64Url(randomBytes(12)).slice(0, shortPasscodeLength(cipher)));
  for (const rule of otherIvRules(cipher).filter((other) => other !== 'prefix')) {
    const fixed = { ...cipher, iv: rule };
    const isWhole = await acceptsAlone(
      context,
      (key) =>
        drawn(
          () => encryptPayload(short(), key, fixed, randomBytes),
          (payload) => fitsItself(payload, key, cipher),
        ),
      (key) =>
        drawn(
          () => noiseUnder(fixed, key, 1, randomBytes),
          (payload) => !hasPadding(cipher) || !fitsItself(payload, key, cipher),
        ),
    );
    if (isWhole === undefined) return;
    if (!isWhole) continue;
    await expectIvTakenOff(context);
    const message = `The application decrypts the whole payload with ${ivNames(rule, cipher)}, where the IV is in front: ${storedNoise(cipher)}`;
    const observed = `one block under ${ivNames(rule, cipher)}, without an IV in front, was accepted, and a block of noise was refused`;
    failWithIv(context, message, rule, observed);
  }
}

/** An IV without ciphertext must be refused, also where it has a padding when decrypted under itself. */
async function expectIvTakenOff(context: CheckContext): Promise<void> {
  const { cipher } = context.environment;
  if (!hasPadding(cipher)) return; // nothing would be refused
  const iv = () => encodePayload(context.randomBytes(ivBytesOf(cipher)), cipher.encoding);
  const isKept = await acceptsAlone(
    context,
    (key) => drawn(iv, (payload) => fitsItself(payload, key, cipher)),
    (key) => drawn(iv, (payload) => !fitsItself(payload, key, cipher)),
  );
  if (!isKept) return;
  const message = `The application takes the IV from the front of the payload, but decrypts it again as a part of the ciphertext: ${storedNoise(cipher)}`;
  const observed =
    'an IV without ciphertext was accepted where it has a padding when decrypted under itself, and refused where it has none';
  failWithIv(context, message, 'prefix', observed);
}

/** Whether the cipher has a padding that can be wrong. */
function hasPadding({ padding = 'none' }: Cipher): boolean {
  return padding !== 'none' && padding !== 'zero';
}

/** Tries of which one in 256 succeeds: that none does happens less than once in 10^27 times. */
const mostDrawn = 16_384;

function drawn(draw: () => string, isFit: (payload: string) => boolean): string {
  for (let tries = 0; tries < mostDrawn; tries += 1) {
    const payload = draw();
    if (isFit(payload)) return payload;
  }
  return untested('No payload was found that shows the IV of the application.');
}

/** Whether a block can be unpadded by an application that uses it as the IV and decrypts it too. */
function fitsItself(payload: string, key: string, cipher: Cipher): boolean {
  const decoded = decodePayload(payload, cipher.encoding);
  return decoded.ok && decryptBytes(Buffer.concat([decoded.bytes, decoded.bytes]), key, cipher).ok;
}

/** In CBC and CFB a block is decrypted with the one before it, in CTR with its place. */
function storedNoise(cipher: Cipher): string {
  const isFirstBlock = algorithmOf(cipher).mode !== 'ctr';
  const stored = isFirstBlock ? `begins with ${ivBytesOf(cipher)} bytes of noise` : 'is noise';
  return `what it stores of a valid payload ${stored}, so no sign-in can match.`;
}

/** One block of noise must be refused as three are: else the first is taken for an IV. */
async function expectFirstBlock(context: CheckContext): Promise<void> {
  const { cipher } = context.environment;
  const one: Make = (key) => noiseUnder(cipher, key, 1);
  const found = await compare(context, one, (key) => noiseUnder(cipher, key, 3));
  if (found === 'refused') return;
  if (found === 'both') skip('Noise is accepted as partner_sp, so the IV makes no difference.');
  const message = `A partner_sp of one block of noise was accepted, and three blocks were refused: the application uses the first block as the IV, but the cipher has ${expectedIv(cipher)}.`;
  failWithIv(context, message, 'prefix');
}

/** A payload whose counter carries beyond its low 64 bits must be accepted as any other. */
async function expectWholeCounter(context: CheckContext): Promise<void> {
  const accepts = async (fill: number): Promise<boolean> => {
    const key = await control(() => context.obtainKey(context.user));
    const iv = context.randomBytes(16).map((octet, at) => (at < 8 ? octet : fill));
    const superPasscode = context.newPasscode() + context.newPasscode();
    return isAccepted(await context.register(context.user, key, { superPasscode, iv }));
  };
  for (const _ of ['first', 'again']) {
    if (await accepts(0xff)) return;
    if (!(await accepts(0))) return;
  }
  const { cipher } = context.environment;
  const message =
    "A payload of several blocks whose IV ends in eight bytes FF was refused, and one with zeros there was accepted: the application's counter has fewer than 128 bits.";
  const hint = 'Use the whole IV as a 128-bit counter, most significant byte first.';
  fail({
    expected: 'a counter of 128 bits, as in NIST SP 800-38A with the whole IV as counter block',
    observed: 'a counter of fewer bits',
    diagnosis: diagnosis('cipher-mismatch', message, hint, { cipher: formatCipher(cipher) }),
    evidence: context.sent.at(-1)?.exchange,
  });
}

function noiseUnder(cipher: Cipher, key: string, blocks: number, randomBytes?: RandomBytes) {
  const noise = noiseOf(cipher, blocks, randomBytes);
  return encryptPayload(noise, key, { ...cipher, padding: 'none' }, () => new Uint8Array());
}

/** Noise whose padding is impossible, and which is not UTF-8. */
function noiseOf(cipher: Cipher, blocks: number, randomBytes?: RandomBytes): Uint8Array {
  const { mode, blockBytes } = algorithmOf(cipher);
  const isFilled = isBlockMode(mode) || cipher.padding !== 'none';
  const size = isFilled ? blocks * blockBytes : shortPasscodeLength(cipher);
  const noise = new Uint8Array(size).fill(0xff);
  noise[0] = 0x80 | (randomBytes?.(1)[0] ?? 0xff);
  noise[size - 1] = blockBytes + 1;
  return noise;
}

type Make = (key: string) => string;

/** Whether the suspect is accepted and its negative control is not, twice each. */
async function compare(context: CheckContext, suspect: Make, negative: Make) {
  for (const _ of ['first', 'again']) {
    if (!(await accepts(context, suspect))) return 'refused';
    if (await accepts(context, negative)) return 'both';
  }
  return 'suspect-alone';
}

/**
 * The same of payloads without ciphertext; undefined where the application takes every such payload for an IV and an
 * empty text. Skips where it accepts both for another reason.
 */
async function acceptsAlone(context: CheckContext, suspect: Make, negative: Make) {
  const found = await compare(context, suspect, negative);
  if (found !== 'both') return found === 'suspect-alone';
  if (await acceptsAnyIv(context)) return undefined;
  const reason =
    "Random bytes as long as an IV are accepted as partner_sp too, so authcli can't determine whether the IV in front is used.";
  return hasPadding(context.environment.cipher) ? untested(reason) : skip(reason);
}

/**
 * Whatever it is decrypted with, a random block has a padding once in 256 times: three in a row are not decrypted,
 * by an application that refuses a longer payload without one.
 */
async function acceptsAnyIv(context: CheckContext): Promise<boolean> {
  const { cipher } = context.environment;
  for (let time = 0; time < 3; time += 1) {
    const block = encodePayload(context.randomBytes(ivBytesOf(cipher)), cipher.encoding);
    if (!(await accepts(context, () => block))) return false;
  }
  const unpadded = { ...cipher, padding: 'none' } as const;
  const noise: Make = (key) =>
    encryptPayload(noiseOf(cipher, 3), key, unpadded, context.randomBytes);
  return hasPadding(cipher) && !(await accepts(context, noise));
}

async function accepts(context: CheckContext, make: Make): Promise<boolean> {
  const { user, environment } = context;
  const key = await control(() => context.obtainKey(user));
  const payload = orSkip(environment.cipher, () => make(key));
  const right = context.rightRegistration(user, key);
  const fields = { partner_sp: payload };
  return isAccepted(await context.sendMalformed('undecryptable-partner-sp', right, fields));
}

function failWithIv(
  context: CheckContext,
  message: string,
  found: IvRule,
  observed = `decrypted with ${ivNames(found, context.environment.cipher)}`,
): never {
  const { cipher } = context.environment;
  const fitting = found !== cipher.iv && { fitting_cipher: formatCipher({ ...cipher, iv: found }) };
  const evidence = { cipher: formatCipher(cipher), ...fitting };
  const hint =
    cipher.iv === 'prefix'
      ? `Take the first ${ivBytesOf(cipher)} bytes of the decoded payload as the IV, and decrypt only the bytes after them.`
      : `Decrypt with ${expectedIv(cipher)}, or set the cipher that the service and the application have agreed on.`;
  const cause = diagnose('cipher-mismatch', message, evidence);
  fail({
    expected: `partner_sp to be decrypted with ${expectedIv(cipher)}`,
    observed,
    diagnosis: { ...cause, hint, calls: decryptionCalls(cipher) },
    evidence: context.sent.at(-1)?.exchange,
  });
}

/** The IVs that an application may use in place of the cipher's, the commonest first. */
function otherIvRules(cipher: Cipher): readonly IvRule[] {
  const digits = 2 * ivBytesOf(cipher);
  const fixed = usualIvs.map((iv) => `hex:${iv.slice(0, digits)}` as const);
  const inFront = isBlockMode(algorithmOf(cipher).mode) ? (['prefix'] as const) : [];
  const rules: readonly IvRule[] = ['zero', 'key-head', 'key-tail', ...inFront, ...new Set(fixed)];
  return rules.filter((rule) => rule !== cipher.iv);
}

/** The IV that a rule gives for a key; zeros without one. */
function ivBytesOfRule(rule: IvRule, key: string, cipher: Cipher): Uint8Array {
  const zeros = new Uint8Array(ivBytesOf(cipher));
  const material = deriveKeyMaterial(key, { ...cipher, iv: rule }, zeros);
  return material.ok ? material.iv : zeros;
}

/**
 * A random IV whose last octet is 80 or more: a padding count under it is invalid under an IV of zeros
 * or of ASCII characters.
 */
function withTellingEnd(cipher: Cipher, randomBytes: RandomBytes): Uint8Array {
  const size = ivBytesOf(cipher);
  return randomBytes(size).map((octet, at) => (at === size - 1 ? octet | 0x80 : octet));
}

/** The characters of a passcode that fits one block, its padding included. */
function shortPasscodeLength(cipher: Cipher): number {
  const { blockBytes, mode } = algorithmOf(cipher);
  const isWhole = isBlockMode(mode) && cipher.padding === 'none';
  return isWhole ? blockBytes : (blockBytes * 3) / 4;
}

/** An IV by its rule, in words: "an IV of zeros". */
function ivNames(rule: IvRule, cipher: Cipher): string {
  const size = ivBytesOf(cipher);
  if (rule === 'zero') return 'an IV of zeros';
  if (rule === 'prefix') return `the first ${size} bytes of the payload as IV`;
  if (rule === 'key-head') return `the first ${size} characters of the key as IV`;
  if (rule === 'key-tail') return `the last ${size} characters of the key as IV`;
  return `the fixed IV ${rule.slice('hex:'.length)} (hexadecimal)`;
}

/** The IV that the cipher has, in words. */
function expectedIv(cipher: Cipher): string {
  return ivNames(cipher.iv ?? 'prefix', cipher);
}
