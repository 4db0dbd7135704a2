import { decodeUtf8, encodeBase64 } from '../../bytes.ts';
import { type Cipher, formatCipher } from '../../crypto/cipher.ts';
import { decryptPayload, encryptPayload } from '../../crypto/payload-ciphers.ts';
import type { Secret } from '../../crypto/secret.ts';
import type { PayloadFinding } from '../../diagnosis/payload.ts';
import type { Diagnosis } from '../../errors.ts';
import {
  type PayloadField,
  payloadFields,
  payloadKinds,
  payloadsInBody,
} from '../../protocol/payload-fields.ts';
import { readUserInformation } from '../../protocol/user.ts';
import { reveal, revealAll } from '../../reports/redact.ts';
import { cipherFlag, fieldFlag, keyFlag, ptnCdFlag } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { type Failure, usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { chosenKey, noteKeyLength } from '../simulate/known-user.ts';
import { shownValue } from '../terminal/style.ts';

export const encrypt = defineCommand({
  path: 'encrypt',
  about:
    'Encrypts one payload with a per-user key, as the service does with passcodes and user information.',
  flags: {
    text: flag('<text>', 'the plaintext; "-" reads standard input, @FILE a file', {
      secret: true,
      references: false,
      read: ({ bytes }) => bytes,
    }),
    key: keyFlag,
    ptnCd: ptnCdFlag,
    cipher: cipherFlag,
    as: { ...fieldFlag, about: 'the field it is for' },
  },
  exclusive: [['key', 'ptnCd']],
  examples: {
    'with a key': 'echo -n 482913 | authcli encrypt - --key env:USER_KEY',
    'for a stored user': 'authcli encrypt @info.json --ptn-cd alice --as ubifill',
  },
  run: async ({ text, key, ptnCd, cipher, as }, session) => {
    const perUserKey = await chosenKey({ key, ptnCd }, session);
    noteKeyLength(perUserKey, session);
    const payload = encryptPayload(text, perUserKey.reveal(), cipher, session.context.randomBytes);
    return { fields: { payload, cipher: formatCipher(cipher), as }, lines: [payload] };
  },
});

export const decrypt = defineCommand({
  path: 'decrypt',
  about:
    'Decrypts a partner_sp, ptn_sp or ubifill with a per-user key. If the cipher does not fit, or decrypts only the end of the text, tries every other cipher and names the one that fits.',
  flags: {
    payload: flag(
      '<payload>',
      'the payload from the JSON body; "-" reads standard input, @FILE a file',
    ),
    key: keyFlag,
    ptnCd: ptnCdFlag,
    cipher: cipherFlag,
    as: fieldFlag,
  },
  exclusive: [['key', 'ptnCd']],
  examples: {
    'with a key': 'authcli decrypt "$PARTNER_SP" --key env:USER_KEY',
    'user information of a stored user': 'authcli decrypt @ubifill.txt --ptn-cd alice --as ubifill',
    'in another cipher': `authcli decrypt - --key env:USER_KEY --cipher 'aes-256-cbc?iv=zero' < payload.txt`,
  },
  run: async ({ cipher, ...options }, session) => {
    const { payload, key, ptnCd, as } = takenOutOfBody(options, session);
    const perUserKey = await chosenKey({ key, ptnCd }, session);
    noteKeyLength(perUserKey, session);
    const result = decryptPayload(payload, perUserKey.reveal(), cipher);
    const kind = as && payloadKinds[as];
    const sealed = { payload, key: perUserKey.reveal(), cipher, field: as, kind };
    const { diagnosePayload, examinePlaintext } = await import('../../diagnosis/payload.ts');
    if (result.ok) {
      const { plaintext } = result;
      const found = examinePlaintext(sealed, plaintext);
      if (found !== undefined) return undecrypted(found, cipher);
      return shownPlaintext(plaintext, cipher, as, session);
    }
    const found = diagnosePayload(sealed);
    if (result.failure === 'key-unusable' && found.fittingCipher === undefined)
      // The other side is not at fault.
      throw usage(
        `The key can't be used with this cipher: ${result.detail}.`,
        'Give the whole key, or choose another cipher; `authcli help ciphers` explains how each derives its key.',
      );
    return undecrypted(found, cipher);
  },
});

function undecrypted({ diagnosis, fittingCipher }: PayloadFinding, cipher: Cipher): Outcome {
  const notation = formatCipher(cipher);
  return {
    fields: { plaintext: null, cipher: notation, fitting_cipher: fittingCipher, diagnosis },
    lines: [],
    failure: payloadFailure(diagnosis, fittingCipher),
  };
}

interface PayloadOptions {
  readonly payload: string;
  readonly key?: Secret | undefined;
  readonly ptnCd?: string | undefined;
  readonly as?: PayloadField | undefined;
}

/** Of a whole body the field, and without --key and --ptn-cd the user, with a note. */
function takenOutOfBody(options: PayloadOptions, session: Session): PayloadOptions {
  const body = payloadsInBody(options.payload);
  if (body === undefined) return options;
  const { payloads } = body;
  const present = payloadFields.filter((field) => payloads[field] !== undefined);
  const as = options.as ?? present[0];
  const payload = as && payloads[as];
  if (as === undefined || payload === undefined) {
    throw usage(`The body has no ${options.as}.`, `It has ${present.join(' and ')}.`);
  }
  const others = present.filter((field) => field !== as).map((field) => `--as ${field}`);
  const other = others.length === 0 ? '' : `; ${others.join(' or ')} selects the other`;
  session.note(`<payload> is a whole body, so its ${as} was taken${other}`);
  const ptnCd = options.ptnCd ?? (options.key === undefined ? body.ptnCd : undefined);
  if (ptnCd !== undefined) session.secrets.show(ptnCd);
  return { ...options, payload, as, ptnCd };
}

function shownPlaintext(
  bytes: Uint8Array,
  cipher: Cipher,
  as: PayloadField | undefined,
  session: Session,
): Outcome {
  const text = decodeUtf8(bytes);
  const notation = formatCipher(cipher);
  if (text === undefined) {
    const base64 = reveal(encodeBase64(bytes));
    session.note('the plaintext is not UTF-8 and is shown in Base64; check the cipher');
    const fields = { plaintext: null, plaintext_base64: base64, cipher: notation };
    return { fields, lines: [base64] };
  }
  const info = as === undefined || as === 'ubifill' ? userInformationIn(text, as) : undefined;
  const fields = { plaintext: reveal(text), cipher: notation, user_info: info };
  return { fields, lines: [reveal(shownValue(text, session.context))] };
}

/** If it was asked for, or if the text evidently is user information. */
function userInformationIn(text: string, as: string | undefined) {
  const { email, name, phone, other } = readUserInformation(text);
  const found = [email, name, phone].filter((value) => value !== undefined);
  if (as !== 'ubifill' && found.length < 2) return undefined;
  const shown = (value: string | undefined) => (value === undefined ? null : reveal(value));
  const rest = Object.keys(other).length === 0 ? {} : { other: revealAll(other) };
  return { email: shown(email), name: shown(name), phone: shown(phone), ...rest };
}

/** The command that sets the cipher of the profile. */
export function setCipherLine(cipher: string): string {
  return `authcli config set cipher '${cipher}'`;
}

/** If another cipher fits, the hint is the command that sets it. */
export function payloadFailure<D extends Diagnosis | undefined>(
  diagnosis: D,
  fittingCipher: string | undefined,
): Failure | D {
  if (diagnosis === undefined || fittingCipher === undefined) return diagnosis;
  const hint = `If the other side is right, set its cipher: \`${setCipherLine(fittingCipher)}\`.`;
  return { ...diagnosis, hint, next: { words: ['config', 'set', 'cipher', fittingCipher] } };
}
