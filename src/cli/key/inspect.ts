import type { KeyRefusal } from '../../crypto/key-structure.ts';
import { inspectKeyText, type KeyInspection } from '../../diagnosis/key-text.ts';
import { fields } from '../../reports/human.ts';
import { capitalised, escapeControls, shellWord } from '../../text.ts';
import { privateKeyFlags } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { defineCommand } from '../command.ts';
import { type Failure, usage } from '../failure.ts';

export const keyInspect = defineCommand({
  path: 'key inspect',
  about:
    "Identifies any key text or file: its type, its encoding, what's wrong with it, and what it should look like. A private key is recognised but never printed.",
  flags: {
    text: flag('<text>', 'the text; "-" reads standard input, @FILE a file', {
      secret: true,
      anyMode: true,
      references: false,
      read: (content) => content,
    }),
    password: privateKeyFlags.privateKeyPassword,
  },
  examples: {
    'the public_key of a request': 'authcli key inspect "$PUBLIC_KEY"',
    'an encrypted private key':
      'authcli key inspect @key.pem --private-key-password env:KEY_PASSWORD',
  },
  run: async ({ text: { bytes, file }, password }, session) => {
    const inspection = inspectKeyText(bytes, password?.reveal());
    const { kind, algorithm, bits, fingerprint, encoding, closed } = inspection;
    if (closed?.code === 'wrong-password') {
      throw usage(`--private-key-password: ${closed.reason}.`, closed.fix?.('') ?? '');
    }
    const named = shellWord(file ?? 'FILE');
    const notes = [
      ...inspection.notes,
      ...(closed === undefined ? [] : closedNotes(closed, named)),
    ];
    const rows = { kind, algorithm, bits: bits?.toString(), encoding, fingerprint };
    return {
      fields: { kind, algorithm, bits, fingerprint, encoding, notes },
      lines: [
        ...fields(Object.entries(rows), session.style, ''),
        ...(kind === 'unknown' ? notes.slice(0, -1) : notes).map(
          (note) => `- ${escapeControls(note)}`,
        ),
      ],
      failure: failureOf(inspection, named),
    };
  },
});

function closedNotes({ code, reason, fix }: KeyRefusal, file: string): readonly string[] {
  if (code === 'encrypted') return ['it is encrypted: --private-key-password shows what is inside'];
  const lines = code === 'key-store' ? fix?.(file) : undefined;
  return lines === undefined ? [reason] : [reason, lines];
}

/** Private keys, per-user keys and wrapped keys are never sent as a public_key. */
const publicKinds: readonly KeyInspection['kind'][] = [
  'public-key',
  'certificate',
  'certificate-request',
];

function failureOf(
  { kind, notes, usable, closed }: KeyInspection,
  file: string,
): Failure | undefined {
  const unknownText = (message: string, hint: string): Failure => ({
    code: 'unknown-text',
    message: `${capitalised(message)}.`,
    hint,
  });
  if (closed !== undefined && !['encrypted', 'key-store'].includes(closed.code))
    return unknownText(
      closed.reason,
      closed.fix?.(file) ?? 'Take it again from where it was made.',
    );
  // The last note says why the text is unknown, or can't be used; the others are remarks.
  if (kind === 'unknown')
    return unknownText(
      notes.at(-1) ?? 'not a recognised key format',
      'A public_key is the Base64 of an X.509 SubjectPublicKeyInfo and begins with "MII"; an enc_partner_key is the Base64 of as many bytes as the RSA modulus has.',
    );
  if (usable || !publicKinds.includes(kind)) return undefined;
  return unknownText(
    notes.at(-1) ?? "it can't be used as public_key",
    'Use an RSA key of 2048 bits or more: a public_key is Base64 of its X.509 SubjectPublicKeyInfo. `authcli key pair` makes one.',
  );
}
