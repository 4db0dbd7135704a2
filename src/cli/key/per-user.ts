import { encodeUtf8 } from '../../bytes.ts';
import { readPublicKey } from '../../crypto/key-reading.ts';
import { countCharacters, perUserKeyLength } from '../../crypto/per-user-key.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import { wrapKey } from '../../crypto/rsaes-pkcs1-v1_5.ts';
import { fingerprintOfKey } from '../../crypto/secret.ts';
import type { WrappedKeyFinding } from '../../diagnosis/wrapped-key.ts';
import type { Diagnosis } from '../../errors.ts';
import { operations } from '../../protocol/operations.ts';
import { isKeyExchangeResponse } from '../../protocol/payload-fields.ts';
import { redacted, reveal } from '../../reports/redact.ts';
import { counted } from '../../text.ts';
import { clientIdFlag, keyFlag, privateKeyFlags, ptnCdFlag } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { perUserKey } from '../args/values.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { chosenKey, storedKeyPairs } from '../simulate/known-user.ts';

export const keyWrap = defineCommand({
  path: 'key wrap',
  about:
    'Wraps a per-user key as an application must: RSAES-PKCS1-v1_5 with the public_key of the request, in Base64 (2.2).',
  flags: {
    text: flag('[key]', 'the per-user key', { parse: perUserKey, secret: true }),
    key: keyFlag,
    ptnCd: ptnCdFlag,
    publicKey: flag('--public-key <text>', 'the public_key of the request, as text or @FILE', {
      required: true,
      read: ({ bytes }) => readPublicKey(bytes),
    }),
  },
  exclusive: [['text', 'key', 'ptnCd']],
  examples: {
    'a new key from a pipe':
      'authcli key generate | authcli key wrap - --public-key @public_key.txt',
    'decrypt it with openssl':
      'authcli key wrap - --public-key @pub.pem < key.txt | base64 -d | openssl pkeyutl -decrypt -inkey private.pem',
  },
  run: async ({ text, key, ptnCd, publicKey }, session) => {
    const perUserKey = await chosenKey({ key: text ?? key, ptnCd }, session);
    const length = countCharacters(perUserKey.reveal());
    // Other lengths would be refused by the service (2.2).
    if (length !== perUserKeyLength)
      throw usage(
        `The per-user key has ${counted(length, 'character')}; it must have ${perUserKeyLength} (2.2).`,
        '`authcli key generate` makes one.',
      );
    for (const note of publicKey.notes) session.note(note);
    const encPartnerKey = wrapKey(publicKey.key, perUserKey.reveal(), session.context.randomBytes);
    return {
      fields: {
        enc_partner_key: encPartnerKey,
        key_fingerprint: perUserKey.toString(),
        public_key_fingerprint: publicKey.key.fingerprint,
        notes: publicKey.notes,
      },
      lines: [encPartnerKey],
    };
  },
});

export const keyUnwrap = defineCommand({
  path: 'key unwrap',
  about:
    'Decrypts an enc_partner_key with the private key that matches the public_key sent. If that fails, explains which padding, encoding or key was used instead, and shows the correct call.',
  flags: {
    encPartnerKey: flag(
      '<enc_partner_key>',
      'the value from the response, or the whole response; "-" reads standard input, @FILE a file',
    ),
    ...privateKeyFlags,
    ptnCd: ptnCdFlag,
    clientId: clientIdFlag,
  },
  notes: ['Without --private-key, tries the key pairs of the simulated sign-ups of this profile.'],
  examples: {
    'with a private key':
      'authcli key unwrap "$ENC_PARTNER_KEY" --private-key keys/private_key.pem',
    'a response to a simulated sign-up': 'authcli key unwrap @enc_partner_key.txt',
    'check whether an earlier key was used':
      'authcli key unwrap - --private-key new.pem --private-key old.pem < wrapped.txt',
  },
  run: async ({ encPartnerKey: text, privateKey, ptnCd, clientId }, session) => {
    const encPartnerKey = await fieldOf(text, session);
    if (typeof encPartnerKey !== 'string')
      return { fields: { diagnosis: encPartnerKey, notes: [] }, lines: [], failure: encPartnerKey };
    const [first, ...others] =
      privateKey.length > 0
        ? privateKey.map(({ key }) => key)
        : await profileKeys(encPartnerKey, session);
    if (first === undefined) {
      throw usage(
        'key unwrap needs a private key.',
        'Give --private-key with the key that matches the public_key sent.',
      );
    }
    for (const note of privateKey.flatMap(({ notes }) => notes)) session.note(note);
    const { diagnoseWrappedKey } = await import('../../diagnosis/wrapped-key.ts');
    const finding = diagnoseWrappedKey(encPartnerKey, {
      privateKey: first,
      otherPrivateKeys: others,
      ptnCd,
      clientId,
      now: session.context.now(),
    });
    return outcomeOf(finding, session);
  },
});

/** The enc_partner_key of a whole response, with a note, or why there is none; any other text as it is. */
async function fieldOf(text: string, session: Session): Promise<string | Diagnosis> {
  if (!isKeyExchangeResponse(text)) return text;
  const { problem, seen } = operations['key-exchange'].readResponse(encodeUtf8(text));
  if (seen.encPartnerKey !== undefined && problem?.kind !== 'field-type') {
    session.note('<enc_partner_key> is a whole response, so its enc_partner_key was taken');
    return seen.encPartnerKey;
  }
  if (problem === undefined) return text;
  const { diagnoseResponse } = await import('../../diagnosis/response.ts');
  return diagnoseResponse(problem, { status: 200, contentType: undefined });
}

/**
 * The current key pair first, unless only another one has the size of the ciphertext: `--key-bits` uses
 * one once.
 */
async function profileKeys(
  encPartnerKey: string,
  session: Session,
): Promise<readonly RsaPrivateKey[]> {
  const keys = await storedKeyPairs(session);
  const bytes = Buffer.from(encPartnerKey, 'base64').length;
  const first = keys.find(({ modulusBytes }) => modulusBytes === bytes) ?? keys[0];
  if (first === undefined) return [];
  const { fingerprint } = first.publicKey;
  const others = keys.filter((key) => key !== first);
  const then =
    others.length === 0 ? '' : `, then ${counted(others.length, 'other key pair')} of the profile`;
  session.note(
    `without --private-key, the service key pair of the profile ${(await session.state()).profile} is used (${first.modulusBits} bits, public key ${fingerprint})${then}`,
  );
  return [first, ...others];
}

/** A key behind a fault is shown only with --show-secrets. */
function outcomeOf(finding: WrappedKeyFinding, session: Session): Outcome {
  const { key, ok, diagnoses, notes } = finding;
  for (const note of notes) session.note(note);
  const [diagnosis, ...further] = diagnoses;
  const shownKey =
    key === undefined ? undefined : ok ? reveal(key) : session.showsSecrets ? key : redacted;
  const fields = {
    key: shownKey,
    key_fingerprint: key === undefined ? undefined : fingerprintOfKey(key),
    diagnosis,
    further_diagnoses: further.length === 0 ? undefined : further,
    notes,
  };
  if (diagnosis !== undefined && !ok)
    return { fields, lines: [], failure: { ...diagnosis, further } };
  if (diagnosis !== undefined) session.warnOf(diagnosis);
  return { fields, lines: shownKey === undefined ? [] : [shownKey] };
}
