import { inspectKeyText } from '../../diagnosis/key-text.ts';
import { fields } from '../../reports/human.ts';
import { defineCommand } from '../command.ts';
import type { Failure } from '../hints.ts';
import { required } from '../options.ts';

export const keyInspect = defineCommand({
  path: 'key inspect',
  about:
    'Says what any key text is, how it is encoded, what is wrong with it, and what it would have to look like. A private key is recognised and never shown.',
  flags: {
    text: required('<text>', 'the text; "-" reads standard input, @FILE a file', {
      secret: true,
      references: false,
      read: ({ bytes }) => bytes,
    }),
  },
  examples: [
    { about: 'the public_key of a request', line: 'authcli key inspect "$PUBLIC_KEY"' },
    { about: 'a file', line: 'authcli key inspect @server.pem' },
    {
      about: 'the size, for a script',
      line: 'authcli key inspect @public_key.txt --json | jq .bits',
    },
  ],
  run: async ({ text }, session) => {
    const { kind, algorithm, bits, fingerprint, encoding, notes } = inspectKeyText(text);
    return {
      fields: { kind, algorithm, bits, fingerprint, encoding, notes },
      lines: [
        ...fields(
          [
            ['kind', kind],
            ['algorithm', algorithm],
            ['bits', bits === undefined ? undefined : String(bits)],
            ['encoding', encoding],
            ['fingerprint', fingerprint],
          ],
          session.style,
          '',
        ),
        ...(kind === 'unknown' ? notes.slice(0, -1) : notes).map((note) => `- ${note}`),
      ],
      failure: kind === 'unknown' ? unknownText(notes) : undefined,
    };
  },
});

/** What stands in the way is said last; before it, what is odd about the text. */
function unknownText(notes: readonly string[]): Failure {
  return {
    code: 'unknown-text',
    message: sentence(notes.at(-1) ?? 'this is no key, in any form that authcli knows'),
    hint: 'A public_key is Base64 of an X.509 SubjectPublicKeyInfo and begins with "MII"; an enc_partner_key is Base64 of as many bytes as the modulus has.',
  };
}

function sentence(note: string): string {
  return `${note.charAt(0).toUpperCase()}${note.slice(1)}.`;
}
