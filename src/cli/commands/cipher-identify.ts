import { decodeUtf8, encodeBase64 } from '../../bytes.ts';
import { defaultCipher } from '../../crypto/cipher-notation.ts';
import { type CipherCandidate, identifyCipher } from '../../diagnosis/cipher-identification.ts';
import { diagnoseNoCipher } from '../../diagnosis/payload.ts';
import type { Diagnosis } from '../../errors.ts';
import { payloadFields, payloadKinds } from '../../protocol/payload-fields.ts';
import { type Revealed, reveal } from '../../reports/redact.ts';
import { counted } from '../../reports/verify-words.ts';
import { escapeControls, excerptOf } from '../../text.ts';
import { defineCommand, type Line } from '../command.ts';
import { keyFlag, ptnCdFlag } from '../common-flags.ts';
import { chosenKey, hideUserInformation, noteKeyLength } from '../known-user.ts';
import { list, type OptionsOf, optional, required } from '../options.ts';
import { setCipherLine } from '../payload-failure.ts';
import { noProgress, type Progress } from '../progress.ts';
import type { Session } from '../session.ts';
import { choice, nonEmpty } from '../values.ts';

const flags = {
  payload: required(
    '<payload>',
    'the payload as it stands in the JSON; "-" reads standard input, @FILE a file',
  ),
  morePayloads: list(
    '--payload <payload>',
    'another payload of the same user: together they narrow the choice',
  ),
  key: keyFlag,
  ptnCd: ptnCdFlag,
  knownPlaintext: optional(
    '--known-plaintext <text>',
    'what one of the payloads holds: makes the answer certain, and solves a fixed IV',
    { secret: true, references: false, parse: nonEmpty },
  ),
  as: optional('--as <field>', 'the field that they are', {
    choices: payloadFields,
    parse: choice(payloadFields),
  }),
} as const;

type Options = OptionsOf<typeof flags>;

export const cipherIdentify = defineCommand({
  path: 'cipher identify',
  about:
    'Finds the cipher that a payload was made with: algorithm, reading of the key, IV, padding, encoding and tag. The whole notation is tried, and the readings that make sense are shown, the best first.',
  flags,
  exclusive: [['key', 'ptnCd']],
  notes: [
    '"certain" means that no other reading gives other clean text, and that noise would look like this less than once in 10^9 payloads; "likely" that it is well ahead of the next; "possible" that it is worth a look.',
  ],
  examples: [
    { about: 'a partner_sp', line: 'authcli cipher identify "$PARTNER_SP" --key env:USER_KEY' },
    {
      about: 'two payloads of one user',
      line: 'authcli cipher identify "$PARTNER_SP" --payload "$UBIFILL" --ptn-cd alice',
    },
    {
      about: 'a fixed IV, by a plaintext that is known',
      line: `authcli cipher identify @ubifill.txt --key env:USER_KEY --known-plaintext '{"email":"a@example.com"}'`,
    },
  ],
  run: async (options, session) => {
    const { key, ptnCd, as, knownPlaintext } = options;
    const perUserKey = await chosenKey({ key, ptnCd }, 'cipher identify', session);
    noteKeyLength(perUserKey, session);
    const payloads = [options.payload, ...options.morePayloads];
    const kind = as && payloadKinds[as];
    const progress = progressOf(payloads, session);
    const candidates = identifyCipher(payloads, perUserKey.reveal(), { knownPlaintext, kind });
    progress.stop();
    const [best] = candidates;
    if (best === undefined) {
      const diagnosis = await explainNothing(options, perUserKey.reveal(), session);
      return { fields: { candidates: [], diagnosis }, lines: [], failure: diagnosis };
    }
    if (best.confidence !== 'certain') noteWhatNarrows(candidates, options, session);
    return {
      fields: { candidates: candidates.map(candidateFields) },
      lines: [
        ...candidates.flatMap((candidate) => candidateLines(candidate, session)),
        '',
        'To set it:',
        `  ${session.style.accent(setCipherLine(best.cipher))}`,
      ],
    };
  },
});

/** One payload of the usual length takes some 0.2 s, in which nothing else is done. */
const longerThanHalfASecond = { payloads: 3, characters: 16_384 };

function progressOf(payloads: readonly string[], session: Session): Progress {
  const characters = payloads.reduce((sum, { length }) => sum + length, 0);
  const { payloads: many, characters: much } = longerThanHalfASecond;
  const text = `Trying every cipher of the notation on ${counted(payloads.length, 'payload')}`;
  return payloads.length >= many || characters >= much
    ? session.progress(text, { atOnce: true })
    : noProgress;
}

function candidateFields({ cipher, confidence, plaintext }: CipherCandidate) {
  const text = decodeUtf8(plaintext);
  return text === undefined
    ? { cipher, confidence, plaintext: null, plaintext_base64: reveal(encodeBase64(plaintext)) }
    : { cipher, confidence, plaintext: reveal(text) };
}

/** So much of a plaintext is shown to people; scripts get it in whole. */
const shownCharacters = 200;

function candidateLines(candidate: CipherCandidate, { style }: Session): readonly Line[] {
  const { cipher, confidence } = candidate;
  return [`${style.bold(cipher)}  ${style.dim(confidence)}`, shownPlaintext(candidate)];
}

function shownPlaintext({ plaintext }: CipherCandidate): Revealed {
  const text = decodeUtf8(plaintext);
  const shown = text ?? `no UTF-8, in Base64: ${encodeBase64(plaintext)}`;
  return reveal(`  ${excerptOf(escapeControls(shown), shownCharacters)}`);
}

function noteWhatNarrows(
  candidates: readonly CipherCandidate[],
  { knownPlaintext, morePayloads }: Options,
  session: Session,
): void {
  const several = candidates.length > 1 ? `${candidates.length} ciphers fit` : 'it may be chance';
  const ways = [
    morePayloads.length === 0 && 'another payload of the user (--payload)',
    knownPlaintext === undefined && 'what it holds (--known-plaintext)',
  ].filter((way) => way !== false);
  if (ways.length > 0) session.note(`${several}; ${ways.join(' or ')} would narrow it`);
}

/** Why nothing fits: what was asked for too much, damage, another key, or a cipher that the notation lacks. */
async function explainNothing(options: Options, key: string, session: Session): Promise<Diagnosis> {
  const { payload, morePayloads, as, knownPlaintext } = options;
  const kind = as && payloadKinds[as];
  const [alone] = identifyCipher([payload], key, { kind });
  if (alone !== undefined && (knownPlaintext !== undefined || morePayloads.length > 0)) {
    return contradiction(alone, knownPlaintext !== undefined);
  }
  const otherKeys = await keysOfOthers(options, session);
  const context = { cipher: defaultCipher, field: as, kind, otherKeys };
  return diagnoseNoCipher(payload, key, context);
}

function contradiction({ cipher }: CipherCandidate, hasPlaintext: boolean): Diagnosis {
  return {
    code: 'wrong-key',
    message: `No cipher fits everything that was given; alone, the first payload makes sense under ${cipher}.`,
    hint: hasPlaintext
      ? 'Check the known plaintext, to the character: it may not be what the payload holds. Leave it out to see what the payload holds.'
      : 'Check that all payloads are of one user and of one key exchange: each exchange replaces the key.',
  };
}

/** The keys of the other users of the profile, for a payload of a user that is known here. */
async function keysOfOthers({ ptnCd }: Options, session: Session): Promise<readonly string[]> {
  if (ptnCd === undefined) return [];
  const users = await (await session.state()).users.list();
  for (const { key, superPasscode, userInfo } of users) {
    session.secrets.add(key);
    session.secrets.add(superPasscode);
    if (userInfo !== undefined) hideUserInformation(userInfo, session);
  }
  return users.filter((user) => user.ptnCd !== ptnCd).map(({ key }) => key.reveal());
}
