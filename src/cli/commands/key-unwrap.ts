import { fingerprintOfKey } from '../../crypto/fingerprint.ts';
import { openPrivateKey } from '../../crypto/open-private-key.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import { openWrappedKey } from '../../diagnosis/open-wrapped-key.ts';
import type { WrappedKeyFinding } from '../../diagnosis/wrapped-key.ts';
import { redacted, reveal } from '../../reports/redact.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { clientIdFlag, ptnCdFlag } from '../common-flags.ts';
import { usage } from '../hints.ts';
import { required } from '../options.ts';
import { privateKeysFlag } from '../private-keys-flag.ts';
import type { Session } from '../session.ts';

export const keyUnwrap = defineCommand({
  path: 'key unwrap',
  about:
    "Opens an enc_partner_key with the private key of the public_key that was sent. What can't be opened is explained: which padding, which encoding, which key was used instead, and the call that does it right.",
  flags: {
    encPartnerKey: required(
      '<enc_partner_key>',
      'the text as it stands in the answer; "-" or @FILE',
    ),
    privateKey: privateKeysFlag,
    ptnCd: ptnCdFlag,
    clientId: clientIdFlag,
  },
  notes: [
    'Without --private-key, the service key pairs of the profile are tried: those that sign-ups from here were sent with.',
  ],
  examples: [
    {
      about: 'with a private key',
      line: 'authcli key unwrap "$ENC_PARTNER_KEY" --private-key keys/private_key.pem',
    },
    { about: 'an answer of a sign-up from here', line: 'authcli key unwrap @enc_partner_key.txt' },
    {
      about: 'was it wrapped with an earlier key?',
      line: 'authcli key unwrap - --private-key new.pem --private-key old.pem < wrapped.txt',
    },
  ],
  run: async ({ encPartnerKey, privateKey, ptnCd, clientId }, session) => {
    const [first, ...others] =
      privateKey.length > 0 ? privateKey.map(({ key }) => key) : await profileKeys(session);
    if (first === undefined) {
      throw usage(
        'key unwrap needs a private key.',
        'Give --private-key with the key whose public half was sent as public_key.',
      );
    }
    for (const note of privateKey.flatMap(({ notes }) => notes)) session.note(note);
    const finding = await openWrappedKey(encPartnerKey, {
      privateKey: first,
      otherPrivateKeys: others,
      ptnCd,
      clientId,
      now: session.context.now(),
    });
    return outcomeOf(finding, session);
  },
});

/** The service key pairs of the profile, the current one first. */
async function profileKeys(session: Session): Promise<readonly RsaPrivateKey[]> {
  const { serviceKeyPairs } = await session.state();
  const pems = [serviceKeyPairs.get(), ...serviceKeyPairs.earlier()].filter(
    (pem) => pem !== undefined,
  );
  for (const pem of pems) session.secrets.add(pem);
  return Promise.all(pems.map(async (pem) => (await openPrivateKey(pem)).key));
}

/** A key that opens as the interface says is what the command is for; one behind a fault is shown on request alone. */
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
  if (!ok) return { fields, lines: [], failure: failureOf(diagnoses) };
  if (diagnosis !== undefined) session.warnOf(diagnosis);
  return { fields, lines: shownKey === undefined ? [] : [shownKey] };
}

function failureOf(diagnoses: WrappedKeyFinding['diagnoses']) {
  const [outermost, ...inner] = diagnoses;
  if (outermost === undefined) throw new Error('a wrapped key that does not open has a diagnosis');
  const more = inner
    .map(({ code, message, hint }) => `\nInside that: ${code}: ${message}\n${hint}`)
    .join('');
  return { ...outermost, message: outermost.message, hint: outermost.hint + more };
}
