import type { CertificateFacts } from '../../crypto/certificate-facts.ts';
import type { KeyRefusal } from '../../crypto/key-structure.ts';
import {
  type ContentsInspection,
  inspectKeyContents,
  type KeyFacts,
  type KeyInspection,
} from '../../diagnosis/key-text.ts';
import { fields } from '../../reports/human.ts';
import { capitalised, escapeControls, shellWord } from '../../text.ts';
import { privateKeyFlags } from '../args/flags.ts';
import { required } from '../args/options.ts';
import { defineCommand } from '../command.ts';
import { type Failure, usage } from '../failure.ts';

export const keyInspect = defineCommand({
  path: 'key inspect',
  about:
    "Identifies any key text or file: its type, its encoding, what's wrong with it, and what it should look like. It lists what is in PEM files with chains of certificates. A private key is recognised but never printed.",
  flags: {
    text: required('<text>', 'the text; "-" reads standard input, @FILE a file', {
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
    'the size, for a script': 'authcli key inspect @public_key.txt --json | jq .bits',
  },
  run: async ({ text: { bytes, file }, password }, session) => {
    const inspection = inspectKeyContents(bytes, {
      password: password?.reveal(),
      now: session.context.now(),
    });
    const { kind, algorithm, bits, fingerprint, encoding, facts, closed } = inspection;
    if (closed?.code === 'wrong-password') {
      throw usage(`--private-key-password: ${closed.reason}.`, closed.fix?.('') ?? '');
    }
    const named = shellWord(file ?? 'FILE');
    const notes = [
      ...inspection.notes,
      ...(closed === undefined ? [] : closedNotes(closed, named)),
    ];
    return {
      fields: {
        ...{ kind, algorithm, bits, fingerprint, encoding },
        ...(facts && certificateFields(facts)),
        ...(inspection.entries && { entries: inspection.entries.map(entryFields) }),
        notes,
      },
      lines: [
        ...fields(
          [
            ['kind', kind],
            ['algorithm', algorithm],
            ['bits', bits === undefined ? undefined : String(bits)],
            ['encoding', encoding],
            ['fingerprint', fingerprint],
            ...(facts ? certificateLines(facts) : []),
          ],
          session.style,
          '',
        ),
        ...(inspection.entries ?? []).map(entryLine),
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

function certificateFields({
  subject,
  issuer,
  serialNumber,
  notBefore,
  notAfter,
}: CertificateFacts) {
  return {
    subject,
    issuer,
    serial_number: serialNumber,
    not_before: notBefore,
    not_after: notAfter,
  };
}

function certificateLines(facts: CertificateFacts): [string, string | undefined][] {
  const { subject, issuer, serialNumber, notBefore, notAfter } = facts;
  const valid = notBefore && notAfter ? `${notBefore} to ${notAfter}` : undefined;
  return [
    ['subject', escapeControls(subject)],
    ['issuer', issuer === undefined ? undefined : escapeControls(issuer)],
    ['serial', serialNumber],
    ['valid', valid],
  ];
}

function entryFields({ kind, algorithm, bits, fingerprint, facts }: KeyFacts) {
  return { kind, algorithm, bits, fingerprint, ...(facts && certificateFields(facts)) };
}

/** `1. private-key; rsa 2048; sha256:…`. */
function entryLine({ kind, algorithm, bits, fingerprint, facts }: KeyFacts, index: number): string {
  const parts = [
    kind,
    [algorithm, bits].filter((part) => part !== undefined).join(' '),
    facts?.subject,
    facts?.issuer === undefined || facts.issuer === facts.subject
      ? undefined
      : `issued by ${facts.issuer}`,
    facts?.notAfter === undefined ? undefined : `until ${facts.notAfter}`,
    fingerprint,
  ];
  return escapeControls(`${index + 1}. ${parts.filter(Boolean).join('; ')}`);
}

/** Private keys, per-user keys and wrapped keys are never sent as a public_key. */
const publicKinds: readonly KeyInspection['kind'][] = [
  'public-key',
  'certificate',
  'certificate-request',
];

function failureOf(
  { kind, notes, usable, closed }: ContentsInspection,
  file: string,
): Failure | undefined {
  if (closed !== undefined && !['encrypted', 'key-store'].includes(closed.code)) {
    const hint = closed.fix?.(file) ?? 'Take it again from where it was made.';
    return { code: 'unknown-text', message: `${capitalised(closed.reason)}.`, hint };
  }
  if (kind === 'unknown') return unknownText(notes);
  if (usable || !publicKinds.includes(kind)) return undefined;
  return {
    code: 'unknown-text',
    message: `${capitalised(notes.at(-1) ?? "it can't be used as public_key")}.`,
    hint: 'Use an RSA key of 2048 bits or more: a public_key is Base64 of its X.509 SubjectPublicKeyInfo. `authcli key pair` makes one.',
  };
}

/** The last note says why the text is unknown; the others are remarks. */
function unknownText(notes: readonly string[]): Failure {
  return {
    code: 'unknown-text',
    message: `${capitalised(notes.at(-1) ?? 'not a recognised key format')}.`,
    hint: 'A public_key is the Base64 of an X.509 SubjectPublicKeyInfo and begins with "MII"; an enc_partner_key is the Base64 of as many bytes as the RSA modulus has.',
  };
}
