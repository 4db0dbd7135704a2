import { decodeBase64Lenient } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import type { Secret } from '../../crypto/secret.ts';
import { diagnosePayload } from '../../diagnosis/payload.ts';
import { diagnoseWrappedForm, diagnoseWrappedKey } from '../../diagnosis/wrapped-key.ts';
import type { Diagnosis } from '../../errors.ts';
import { expiresAt, expiryReadings } from '../../protocol/expiry.ts';
import { explanationLines } from '../../reports/explanation.ts';
import { reveal } from '../../reports/redact.ts';
import type { Outcome } from '../command.ts';
import { explainErrorText } from '../explain/error-texts.ts';
import { explanationLook } from '../explain/look.ts';
import type { Session } from '../session.ts';

interface TextKnowledge {
  readonly cipher: Cipher;
  readonly privateKeys: readonly RsaPrivateKey[];
  readonly key?: Secret | undefined;
  readonly timeZone?: string | undefined;
}

/** Lengths of the ciphertexts of RSA keys in use. */
const modulusBytes = [128, 256, 384, 512, 1024];

/** What a text is that was given instead of a file, and what follows from it; undefined if nothing is known about it. */
export async function explainText(
  text: string,
  knowledge: TextKnowledge,
  session: Session,
): Promise<Outcome | undefined> {
  return (
    explainExpiry(text.trim(), knowledge, session) ??
    (await explainError(text, knowledge, session)) ??
    explainCiphertext(text, knowledge)
  );
}

function explainExpiry(text: string, { timeZone }: TextKnowledge, { context }: Session) {
  const readings = /^\d{14}$/.test(text)
    ? expiryReadings(text, context.localTimeZone())
    : undefined;
  if (readings === undefined) return undefined;
  const expires = expiresAt(text, timeZone);
  const known = expires === null ? [] : [`In the time zone ${timeZone}: ${expires}`];
  return {
    fields: { kind: reveal('expire_dt'), ...readings, expires_at: expires },
    lines: [
      'An expire_dt (section 2.1): when an access token expires.',
      ...known,
      `Read as UTC:   ${readings.utc}`,
      `Read as local: ${readings.local}`,
      ...(expires === null
        ? ['The interface leaves its time zone open: `authcli learn` finds it in traffic.']
        : []),
    ],
  };
}

async function explainError(text: string, { cipher }: TextKnowledge, session: Session) {
  const found = explainErrorText(text, cipher);
  if (found === undefined) return undefined;
  return {
    fields: { kind: reveal('error-text'), explanation: found },
    lines: explanationLines(found, await explanationLook(session)),
  };
}

function explainCiphertext(text: string, knowledge: TextKnowledge): Outcome | undefined {
  const bytes = decodeBase64Lenient(text.trim());
  if (bytes === undefined || bytes.length < 16) return undefined;
  return modulusBytes.includes(bytes.length) && knowledge.key === undefined
    ? explainWrappedKey(text, bytes.length, knowledge)
    : explainPayload(text.trim(), bytes.length, knowledge);
}

function explainWrappedKey(
  text: string,
  size: number,
  { privateKeys: [privateKey, ...otherPrivateKeys] }: TextKnowledge,
): Outcome {
  const { diagnoses } =
    privateKey === undefined
      ? diagnoseWrappedForm(text, [size])
      : diagnoseWrappedKey(text, { privateKey, otherPrivateKeys });
  const lines = [`An enc_partner_key (section 2.2): ${size} bytes, as under RSA ${8 * size}.`];
  const hint = 'Give --private-key to see whether it decrypts to a key of 32 characters.';
  const right =
    privateKey === undefined ? hint : 'It decrypts to a per-user key as section 2.2 has it.';
  return outcomeOf('enc_partner_key', lines, right, diagnoses[0]);
}

function explainPayload(text: string, size: number, { key, cipher }: TextKnowledge): Outcome {
  const lines = [
    `A partner_sp, ptn_sp or ubifill (section 2.1), perhaps: ${size} bytes in Base64.`,
  ];
  if (key === undefined) {
    const hint = 'Give --key to see whether it decrypts, or which cipher does.';
    return outcomeOf('payload', lines, hint);
  }
  const isRight = decryptPayload(text, key.reveal(), cipher).ok;
  const found = isRight ? undefined : diagnosePayload(text, key.reveal(), { cipher }).diagnosis;
  return outcomeOf(
    'payload',
    lines,
    'It decrypts with this key: `authcli decrypt` shows it.',
    found,
  );
}

function outcomeOf(
  kind: string,
  lines: readonly string[],
  right: string,
  diagnosis?: Diagnosis,
): Outcome {
  if (diagnosis === undefined) return { fields: { kind: reveal(kind) }, lines: [...lines, right] };
  return { fields: { kind: reveal(kind), diagnosis }, lines, failure: diagnosis };
}
