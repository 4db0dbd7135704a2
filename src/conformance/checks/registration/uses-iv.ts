import { encodeUtf8 } from '../../../bytes.ts';
import {
  algorithmOf,
  type Cipher,
  type IvRule,
  isBlockMode,
  ivBytesOf,
} from '../../../crypto/cipher.ts';
import { formatCipher } from '../../../crypto/cipher-notation.ts';
import { encryptPayload } from '../../../crypto/payload-ciphers.ts';
import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import type { CheckDefinition, Passed } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { control, fail, isAccepted, orSkip, skip } from '../../expect.ts';
import {
  expectedIv,
  ivBytesOfRule,
  ivMismatch,
  ivNames,
  otherIvRules,
  shortPasscodeLength,
  withTellingEnd,
} from '../../iv.ts';

/** IVs that applications use in place of the one in front of the payload. */
const commonRules = ['zero', 'key-head', 'key-tail'] as const;

/**
 * In CBC a wrong IV garbles the first block alone: a padding at the end stays right, and an
 * application that accepts noise stores it. Payloads of a single block show what it does:
 *
 * - one that is short, under the IV of the cipher, has its padding in the garbled block, so it is
 *   refused by an application that takes another IV;
 * - one without an IV in front, under a fixed IV, is refused by every application that splits the
 *   payload. Where a block of noise is accepted too, an IV without ciphertext is taken for an empty
 *   text (Java's `doFinal` of nothing), and nothing is certain.
 *
 * What is blamed was seen twice, and twice not in its negative control. Fixed IVs other than
 * {@link commonRules} are found only where the IV in front is taken off, and nothing is found of an
 * application that refuses fewer than two blocks by their length and stores noise.
 */
export const usesIv: CheckDefinition = {
  id: 'registration/uses-iv',
  title: 'must decrypt partner_sp with the IV of its cipher',
  section: '4.1.2',
  sentence: 'The application decrypts partner_sp with the stored key of ptn_cd.',
  stage: 'wrong-requests',
  needs: ['registration/without-user-info', 'usable-key'],
  run: async (context): Promise<Passed | undefined> => {
    const { cipher } = context.environment;
    const { mode } = algorithmOf(cipher);
    if (cipher.iv === undefined) skip(`The cipher ${formatCipher(cipher)} has no IV.`);
    await control(() => context.signUp(context.user));
    if (mode === 'gcm') return undefined; // its tag fails under any other IV
    await expectShortPasscode(context);
    if (cipher.iv === 'prefix') await expectIvInFront(context);
    else if (isBlockMode(mode)) await expectFirstBlock(context);
    if (mode === 'ctr' && cipher.iv === 'prefix') await expectWholeCounter(context);
    return undefined;
  },
};

async function expectShortPasscode(context: CheckContext): Promise<void> {
  // Where the IV can't be chosen so that another one shows for certain, two keys make it so.
  const times = context.environment.cipher.iv === 'prefix' ? 1 : 2;
  for (let time = 0; time < times; time += 1) {
    if (!(await acceptsShort(context))) await blameIv(context);
  }
}

/** A short passcode was refused: under which IV is it accepted? */
async function blameIv(context: CheckContext): Promise<never> {
  const { cipher } = context.environment;
  for (const rule of otherIvRules(cipher)) {
    if (!(await acceptsEach(context, rule))) continue;
    if (await acceptsShort(context)) break;
    const message = `A passcode of one block was refused under ${expectedIv(cipher)}, and accepted under ${ivNames(rule, cipher)}: the application decrypts with that IV.`;
    failWithIv(context, message, rule);
  }
  return skip(
    `A passcode of ${shortPasscodeLength(cipher)} characters, which fits one block, was refused under every IV that was tried, so authcli can't determine the IV of the application.`,
  );
}

/**
 * Between two IVs of ASCII digits a padding fits by chance once in 16 times: five times in a row once
 * in a million.
 */
async function acceptsEach(context: CheckContext, rule: IvRule): Promise<boolean> {
  for (let time = 0; time < 5; time += 1) {
    if (!(await acceptsShort(context, rule))) return false;
  }
  return true;
}

async function acceptsShort(context: CheckContext, rule?: IvRule): Promise<boolean> {
  const { cipher } = context.environment;
  const { user, randomBytes } = context;
  const key = await control(() => context.obtainKey(user));
  const superPasscode = context.newPasscode().slice(0, shortPasscodeLength(cipher));
  const isInFront = cipher.iv === 'prefix';
  const outcome = await context.register(user, key, {
    superPasscode,
    ...(isInFront && {
      iv:
        rule === undefined ? withTellingEnd(cipher, randomBytes) : ivBytesOfRule(rule, key, cipher),
    }),
    ...(!isInFront && rule !== undefined && { cipher: { ...cipher, iv: rule } }),
  });
  return isAccepted(outcome);
}

/** One block under a fixed IV, without an IV in front, must be refused. */
async function expectIvInFront(context: CheckContext): Promise<void> {
  const { cipher } = context.environment;
  const size = shortPasscodeLength(cipher);
  for (const rule of commonRules) {
    const fixed = { ...cipher, iv: rule };
    const text = () => encodeUtf8(context.newPasscode().slice(0, size));
    const found = await compare(context, {
      suspect: (key) => encryptPayload(text(), key, fixed, context.randomBytes),
      control: (key) => noiseUnder(fixed, key, 1),
    });
    if (found === 'refused') continue;
    if (found === 'both') {
      skip(
        "Random bytes as long as an IV are accepted as partner_sp too (in Java, doFinal of no bytes returns an empty text), so authcli can't determine whether the IV in front is used.",
      );
    }
    const isFirstBlock = algorithmOf(cipher).mode === 'cbc';
    const stored = isFirstBlock ? `begins with ${ivBytesOf(cipher)} bytes of noise` : 'is noise';
    const message = `The application decrypts the whole payload with ${ivNames(rule, cipher)}, where the IV is in front: what it stores of a valid payload ${stored}, so no sign-in can match.`;
    const observed = `one block under ${ivNames(rule, cipher)}, without an IV in front, was accepted, and a block of noise was refused`;
    failWithIv(context, message, rule, observed);
  }
}

/** One block of noise must be refused as three are: else the first is taken for an IV. */
async function expectFirstBlock(context: CheckContext): Promise<void> {
  const { cipher } = context.environment;
  const found = await compare(context, {
    suspect: (key) => noiseUnder(cipher, key, 1),
    control: (key) => noiseUnder(cipher, key, 3),
  });
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

/** Noise whose padding is impossible, and which is not UTF-8. */
function noiseUnder(cipher: Cipher, key: string, blocks: number): string {
  const { mode, blockBytes } = algorithmOf(cipher);
  const isFilled = isBlockMode(mode) || cipher.padding !== 'none';
  const size = isFilled ? blocks * blockBytes : shortPasscodeLength(cipher);
  const noise = new Uint8Array(size).fill(0xff);
  noise[size - 1] = blockBytes + 1;
  return encryptPayload(noise, key, { ...cipher, padding: 'none' }, () => new Uint8Array());
}

interface Comparison {
  readonly suspect: (key: string) => string;
  readonly control: (key: string) => string;
}

/** Whether the suspect is accepted and its negative control is not, twice each. */
async function compare(
  context: CheckContext,
  { suspect, control: negative }: Comparison,
): Promise<'refused' | 'both' | 'suspect-alone'> {
  for (const _ of ['first', 'again']) {
    if (!(await accepts(context, suspect))) return 'refused';
    if (await accepts(context, negative)) return 'both';
  }
  return 'suspect-alone';
}

async function accepts(context: CheckContext, make: (key: string) => string): Promise<boolean> {
  const { user, environment } = context;
  const key = await control(() => context.obtainKey(user));
  const payload = orSkip(environment.cipher, () => make(key));
  const right = context.rightRegistration(user, key);
  const fields = { partner_sp: payload };
  return isAccepted(
    (await context.sendMalformed('undecryptable-partner-sp', right, fields)).outcome,
  );
}

function failWithIv(
  context: CheckContext,
  message: string,
  found: IvRule,
  observed = `decrypted with ${ivNames(found, context.environment.cipher)}`,
): never {
  const { cipher } = context.environment;
  fail({
    expected: `partner_sp to be decrypted with ${expectedIv(cipher)}`,
    observed,
    diagnosis: ivMismatch(message, cipher, found),
    evidence: context.sent.at(-1)?.exchange,
  });
}
