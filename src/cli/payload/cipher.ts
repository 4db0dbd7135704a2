import { constantTimeEqual, decodeUtf8, encodeBase64 } from '../../bytes.ts';
import { cipherPresets, defaultCipher, parseCipher } from '../../crypto/cipher.ts';
import { type CipherCandidate, identifyCipher } from '../../diagnosis/cipher-identification.ts';
import { diagnosis } from '../../diagnosis/diagnosis.ts';
import { diagnoseNoCipher } from '../../diagnosis/payload.ts';
import { tornShape } from '../../diagnosis/plausibility.ts';
import type { Diagnosis } from '../../errors.ts';
import { payloadKinds } from '../../protocol/payload-fields.ts';
import type { Style } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls, excerptOf } from '../../text.ts';
import { fieldFlag, keyFlag, ptnCdFlag } from '../args/flags.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { nonEmpty } from '../args/values.ts';
import { defineCommand, type Line } from '../command.ts';
import type { Session } from '../session.ts';
import { chosenKey, noteKeyLength } from '../simulate/known-user.ts';
import { setCipherLine } from './payload.ts';

export const cipherList = defineCommand({
  path: 'cipher list',
  about:
    'Lists the ciphers that common stacks use with a 32-character key. The interface does not define the cipher (2.3), so it is a setting.',
  flags: {},
  examples: {
    'set one': "authcli config set cipher 'aes-256-cbc?iv=zero'",
    'every part of the notation': 'authcli help ciphers',
  },
  run: async (_, { style }) => ({
    fields: { ciphers: cipherPresets },
    lines: cipherPresets.flatMap(({ name, cipher, description }) => [
      style.bold(name),
      `  ${description}`,
      `  ${style.accent(cipher)}`,
    ]),
  }),
});

const flags = {
  payload: flag(
    '<payload>',
    'the payload from the JSON body; "-" reads standard input, @FILE a file',
  ),
  morePayloads: flag(
    '--payload <payload...>',
    'another payload of the same user, to narrow down the result',
  ),
  key: keyFlag,
  ptnCd: ptnCdFlag,
  knownPlaintext: flag(
    '--known-plaintext <text>',
    'the plaintext of one payload: makes the result certain and reveals a fixed IV',
    { secret: true, references: false, parse: nonEmpty },
  ),
  as: { ...fieldFlag, about: 'the field that the payloads come from' },
} as const;

type Options = OptionsOf<typeof flags>;

export const cipherIdentify = defineCommand({
  path: 'cipher identify',
  about:
    'Finds the cipher that a payload was encrypted with: algorithm, key derivation, IV, padding, encoding and tag. Tries every cipher of the notation and lists the plausible results, best first.',
  flags,
  exclusive: [['key', 'ptnCd']],
  notes: [
    '"certain": no other cipher gives different clean text, the same text comes from others at most with another padding or encoding, and random bytes would look like this in fewer than one of 10^9 payloads. "likely": well ahead of the next result, or one of several ciphers that give the same text. "possible": worth checking.',
  ],
  examples: {
    'a partner_sp': 'authcli cipher identify "$PARTNER_SP" --key env:USER_KEY',
    'two payloads of one user':
      'authcli cipher identify "$PARTNER_SP" --payload "$UBIFILL" --ptn-cd alice',
    'a fixed IV, from a known plaintext': `authcli cipher identify @ubifill.txt --key env:USER_KEY --known-plaintext '{"email":"a@example.com"}'`,
  },
  run: async (options, session) => {
    const { key, ptnCd, as, knownPlaintext } = options;
    const perUserKey = await chosenKey({ key, ptnCd }, session);
    noteKeyLength(perUserKey, session);
    const payloads = [options.payload, ...options.morePayloads];
    const kind = as && payloadKinds[as];
    const candidates = identifyCipher(payloads, perUserKey.reveal(), { knownPlaintext, kind });
    const [best, ...others] = candidates;
    if (best === undefined) {
      const diagnosis = await explainNothing(options, perUserKey.reveal(), session);
      return { fields: { candidates: [], diagnosis }, lines: [], failure: diagnosis };
    }
    if (best.confidence !== 'certain') noteWhatNarrows([best, ...others], options, session);
    return {
      fields: { candidates: candidates.map(candidateFields) },
      lines: [
        ...candidates.flatMap((candidate) => candidateLines(candidate, session.style)),
        ...(best.confidence === 'possible'
          ? []
          : ['', 'To set it:', `  ${session.style.accent(setCipherLine(best.cipher))}`]),
      ],
    };
  },
});

function candidateFields({ cipher, confidence, plaintext }: CipherCandidate) {
  const text = decodeUtf8(plaintext);
  return text === undefined
    ? { cipher, confidence, plaintext: null, plaintext_base64: reveal(encodeBase64(plaintext)) }
    : { cipher, confidence, plaintext: reveal(text) };
}

/** Scripts get the whole plaintext. */
const shownCharacters = 200;

function candidateLines({ cipher, confidence, plaintext }: CipherCandidate, style: Style): Line[] {
  const text = decodeUtf8(plaintext) ?? `not UTF-8, in Base64: ${encodeBase64(plaintext)}`;
  return [
    `${style.bold(cipher)}  ${style.dim(confidence)}`,
    reveal(`  ${excerptOf(escapeControls(text), shownCharacters)}`),
  ];
}

function noteWhatNarrows(
  [best, ...others]: readonly [CipherCandidate, ...CipherCandidate[]],
  { knownPlaintext, morePayloads }: Options,
  { note }: Session,
): void {
  const shape = tornShape(best.plaintext, parseCipher(best.cipher));
  if (shape) {
    note(
      `the text begins in the middle of ${shape}, so the payload was encrypted with an IV that it does not contain, such as one fixed in the code: its plaintext (--known-plaintext) would reveal that IV`,
    );
    return;
  }
  const alike = others.filter(({ plaintext }) => constantTimeEqual(plaintext, best.plaintext));
  const fitting =
    others.length > 0 ? `${others.length + 1} ciphers fit` : 'this may be a coincidence';
  const several =
    alike.length > 0
      ? `${alike.length + 1} ciphers give the same text here, so one payload can't tell them apart`
      : fitting;
  const ways = [
    morePayloads.length === 0 ? ['another payload of the user (--payload)'] : [],
    knownPlaintext === undefined ? ['its plaintext (--known-plaintext)'] : [],
  ].flat();
  if (ways.length > 0) note(`${several}; ${ways.join(' or ')} would narrow it`);
}

/** Why nothing fits: contradicting input, damage, another key, or a cipher outside the notation. */
async function explainNothing(options: Options, key: string, session: Session): Promise<Diagnosis> {
  const { payload, morePayloads, as, knownPlaintext } = options;
  const kind = as && payloadKinds[as];
  const [alone] = identifyCipher([payload], key, { kind });
  if (alone !== undefined && (knownPlaintext !== undefined || morePayloads.length > 0))
    return diagnosis(
      'wrong-key',
      `No cipher matches all payloads; the first one alone can be decrypted with ${alone.cipher}.`,
      knownPlaintext === undefined
        ? 'Check that all payloads belong to one user and one key exchange: each exchange replaces the key.'
        : 'Check the known plaintext character by character. Leave it out to see what the payload contains.',
    );
  const otherKeys = await keysOfOthers(options, session);
  return diagnoseNoCipher({ payload, key, cipher: defaultCipher, field: as, kind, otherKeys });
}

async function keysOfOthers({ ptnCd }: Options, session: Session): Promise<readonly string[]> {
  if (ptnCd === undefined) return [];
  const users = await (await session.state()).users.list();
  for (const user of users) session.secrets.addUser(user);
  return users.filter((user) => user.ptnCd !== ptnCd).map(({ key }) => key.reveal());
}
