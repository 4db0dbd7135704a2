import { formatCipher } from '../../crypto/cipher-notation.ts';
import { encryptPayload } from '../../crypto/payload-ciphers.ts';
import { payloadFields } from '../../protocol/payload-fields.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand } from '../command.ts';
import { keyFlag, ptnCdFlag } from '../common-flags.ts';
import { chosenKey, noteKeyLength } from '../known-user.ts';
import { optional, required } from '../options.ts';
import { choice } from '../values.ts';

export const encrypt = defineCommand({
  path: 'encrypt',
  about:
    'Encrypts one payload with a per-user key, as the service does with passcodes and user information.',
  flags: {
    text: required('<text>', 'the plaintext; "-" reads standard input, @FILE a file', {
      secret: true,
      references: false,
      read: ({ bytes }) => bytes,
    }),
    key: keyFlag,
    ptnCd: ptnCdFlag,
    cipher: cipherFlag,
    as: optional('--as <field>', 'the field that it is for', {
      choices: payloadFields,
      parse: choice(payloadFields),
    }),
  },
  exclusive: [['key', 'ptnCd']],
  examples: [
    { about: 'with a key', line: 'echo -n 482913 | authcli encrypt - --key env:USER_KEY' },
    {
      about: 'for a user that is known here',
      line: 'authcli encrypt @info.json --ptn-cd alice --as ubifill',
    },
    {
      about: 'in another cipher',
      line: "authcli encrypt 482913 --key env:USER_KEY --cipher 'aes-256-gcm'",
    },
  ],
  run: async ({ text, key, ptnCd, cipher, as }, session) => {
    const perUserKey = await chosenKey({ key, ptnCd }, 'encrypt', session);
    noteKeyLength(perUserKey, session);
    const payload = encryptPayload(text, perUserKey.reveal(), cipher, session.context.randomBytes);
    return { fields: { payload, cipher: formatCipher(cipher), as }, lines: [payload] };
  },
});
