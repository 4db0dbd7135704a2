import { decodeUtf8, encodeBase64 } from '../../bytes.ts';
import { type Cipher, formatCipher } from '../../crypto/cipher-notation.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import { isPlausiblePlaintext } from '../../diagnosis/plausibility.ts';
import { type PayloadField, payloadFields, payloadKinds } from '../../protocol/payload-fields.ts';
import { readUserInformation, type UserInformation } from '../../protocol/user-info.ts';
import { fields } from '../../reports/human.ts';
import { type Revealed, reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { keyFlag, ptnCdFlag } from '../common-flags.ts';
import { usage } from '../hints.ts';
import { chosenKey, noteKeyLength } from '../known-user.ts';
import { optional, required } from '../options.ts';
import { payloadFailure, setCipherLine } from '../payload-failure.ts';
import type { Session } from '../session.ts';
import { choice } from '../values.ts';

export const decrypt = defineCommand({
  path: 'decrypt',
  about:
    'Decrypts a partner_sp, ptn_sp or ubifill with a per-user key. What does not decrypt is tried in every other cipher, and the one that fits is named.',
  flags: {
    payload: required(
      '<payload>',
      'the payload as it stands in the JSON; "-" reads standard input, @FILE a file',
    ),
    key: keyFlag,
    ptnCd: ptnCdFlag,
    cipher: cipherFlag,
    as: optional('--as <field>', 'the field that it is', {
      choices: payloadFields,
      parse: choice(payloadFields),
    }),
  },
  exclusive: [['key', 'ptnCd']],
  examples: [
    { about: 'with a key', line: 'authcli decrypt "$PARTNER_SP" --key env:USER_KEY' },
    {
      about: 'user information of a user that is known here',
      line: 'authcli decrypt @ubifill.txt --ptn-cd alice --as ubifill',
    },
    {
      about: 'in another cipher',
      line: `authcli decrypt - --key env:USER_KEY --cipher 'aes-256-cbc?iv=zero' < payload.txt`,
    },
  ],
  run: async ({ payload, key, ptnCd, cipher, as }, session) => {
    const perUserKey = await chosenKey({ key, ptnCd }, 'decrypt', session);
    noteKeyLength(perUserKey, session);
    const result = decryptPayload(payload, perUserKey.reveal(), cipher);
    const explain = async () => {
      const { diagnosePayload } = await import('../../diagnosis/payload.ts');
      const kind = as && payloadKinds[as];
      return diagnosePayload(payload, perUserKey.reveal(), { cipher, field: as, kind });
    };
    if (result.ok) {
      const noise = !isPlausiblePlaintext(result.plaintext);
      if (noise) noteOtherCipher((await explain()).fittingCipher, session);
      return shownPlaintext(result.plaintext, cipher, as, session);
    }
    const { diagnosis, fittingCipher } = await explain();
    if (result.failure === 'key-unusable' && fittingCipher === undefined)
      throw unusableKey(result.detail);
    return {
      fields: {
        plaintext: null,
        cipher: formatCipher(cipher),
        fitting_cipher: fittingCipher,
        diagnosis,
      },
      lines: [],
      failure: payloadFailure(diagnosis, fittingCipher),
    };
  },
});

/** The key was given here, so it is no fault of the other side that it doesn't go with the cipher. */
function unusableKey(detail: string): Error {
  return usage(
    `The key can't be used with this cipher: ${detail}.`,
    'Give the whole key, or another cipher; `authcli help ciphers` shows how a key is read.',
  );
}

/** What decrypts to noise, because the cipher has no padding or tag to fail on, may make sense in another one. */
function noteOtherCipher(fitting: string | undefined, session: Session): void {
  if (fitting === undefined) return;
  session.note(`the payload makes sense in another cipher: ${setCipherLine(fitting)}`);
}

/** The plaintext as text, or in Base64 where it is none; of user information its attributes as well. */
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
    session.note('the plaintext is no UTF-8; it is shown in Base64. Is the cipher right?');
    return {
      fields: { plaintext: null, plaintext_base64: base64, cipher: notation },
      lines: [base64],
    };
  }
  const info = as === undefined || as === 'ubifill' ? userInformationIn(text, as) : undefined;
  return {
    fields: {
      plaintext: reveal(text),
      cipher: notation,
      ...(info && { user_info: attributes(info) }),
    },
    lines: [shownText(text, session), ...(info ? attributeLines(info, session) : [])],
  };
}

/** On a terminal controls are escaped; a pipe gets the text as it is. */
function shownText(text: string, session: Session): Revealed {
  return reveal(session.context.stdout.isTerminal ? escapeControls(text) : text);
}

/** User information if it was asked for, or if the text plainly is some. */
function userInformationIn(text: string, as: string | undefined): UserInformation | undefined {
  const info = readUserInformation(text);
  const found = [info.email, info.name, info.phone].filter((value) => value !== undefined);
  return as === 'ubifill' || found.length >= 2 ? info : undefined;
}

function attributes({ email, name, phone, other }: UserInformation): Record<string, unknown> {
  const shown = (value: string | undefined): Revealed | null =>
    value === undefined ? null : reveal(value);
  const rest = Object.keys(other).length === 0 ? {} : { other: revealAll(other) };
  return { email: shown(email), name: shown(name), phone: shown(phone), ...rest };
}

function revealAll(value: unknown): unknown {
  if (typeof value === 'string') return reveal(value);
  if (Array.isArray(value)) return value.map(revealAll);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revealAll(item)]));
}

/** For people alone: a pipe gets the plaintext and nothing else. */
function attributeLines({ email, name, phone }: UserInformation, session: Session): Revealed[] {
  if (!session.context.stdout.isTerminal) return [];
  const rows = [
    ['e-mail', email],
    ['name', name],
    ['phone', phone],
  ] as const;
  return fields(
    rows.map(([label, value]) => [label, value === undefined ? undefined : escapeControls(value)]),
    session.style,
  ).map(reveal);
}
