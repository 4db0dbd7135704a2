import { countCharacters, perUserKeyLength } from '../../crypto/per-user-key.ts';
import { readPublicKey } from '../../crypto/public-key.ts';
import { wrapKey } from '../../crypto/rsaes-pkcs1-v1_5.ts';
import { defineCommand } from '../command.ts';
import { keyFlag, ptnCdFlag } from '../common-flags.ts';
import { usage } from '../hints.ts';
import { chosenKey } from '../known-user.ts';
import { optional, required } from '../options.ts';
import { perUserKey } from '../values.ts';

export const keyWrap = defineCommand({
  path: 'key wrap',
  about:
    'Wraps a per-user key as an application must: RSAES-PKCS1-v1_5 with the public_key of the request, in Base64 (2.2).',
  flags: {
    text: optional('[key]', 'the per-user key', { parse: perUserKey, secret: true }),
    key: keyFlag,
    ptnCd: ptnCdFlag,
    publicKey: required('--public-key <text>', 'the public_key of the request, as text or @FILE', {
      read: ({ bytes }) => readPublicKey(bytes),
    }),
  },
  exclusive: [['text', 'key', 'ptnCd']],
  examples: [
    {
      about: 'a key from the environment',
      line: 'authcli key wrap --key env:USER_KEY --public-key @public_key.txt',
    },
    {
      about: 'a new key from a pipe',
      line: 'authcli key generate | authcli key wrap - --public-key @public_key.txt',
    },
    {
      about: 'what openssl makes of it',
      line: 'authcli key wrap - --public-key @pub.pem < key.txt | base64 -d | openssl pkeyutl -decrypt -inkey private.pem',
    },
  ],
  run: async ({ text, key, ptnCd, publicKey }, session) => {
    const perUserKey = await chosenKey({ key: text ?? key, ptnCd }, 'key wrap', session);
    requireWholeKey(perUserKey.reveal());
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

/** An application's key has 32 characters (2.2): any other would be refused by the service. */
function requireWholeKey(key: string): void {
  const length = countCharacters(key);
  if (length === perUserKeyLength) return;
  throw usage(
    `The per-user key has ${length} characters; it must have ${perUserKeyLength} (2.2).`,
    'authcli key generate makes one.',
  );
}
