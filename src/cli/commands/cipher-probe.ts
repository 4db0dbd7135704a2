import type { CipherProbeOutcome } from '../../client/cipher-probe.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { fields, marks, verdict } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { findCipher, probePrefix } from '../cipher-finding.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { clientIdFlag } from '../common-flags.ts';
import { openNetwork } from '../network.ts';
import { networkFlags } from '../network-flags.ts';
import { defaulted, type OptionsOf } from '../options.ts';
import { setCipherLine } from '../payload-failure.ts';
import { privateKeysFlag } from '../private-keys-flag.ts';
import type { Session } from '../session.ts';
import { registrationFlags } from '../simulation-flags.ts';
import { urlFlag } from '../url-flags.ts';
import { integer } from '../values.ts';

const flags = {
  url: urlFlag,
  clientId: clientIdFlag,
  cipher: { ...cipherFlag, about: 'the cipher to try first' },
  limit: defaulted('--limit <n>', 'give up after so many ciphers', '256', {
    parse: integer(1, 10_000),
  }),
  privateKey: privateKeysFlag,
  userInfo: registrationFlags.userInfo,
  noUserInfo: registrationFlags.noUserInfo,
  ...networkFlags,
} as const;

type Options = OptionsOf<typeof flags>;

export const cipherProbe = defineCommand({
  path: 'cipher probe',
  about: `Finds the cipher that an application expects: it signs a test user up with each likely one, the likeliest first, and sees which registration is accepted. What can't be decrypted is sent as well, to tell an application that accepts everything. The application keeps the test users; their codes begin with ${probePrefix}. Nothing is saved here.`,
  flags,
  exclusive: [['userInfo', 'noUserInfo']],
  notes: [
    'It stops once a cipher is accepted and enough others are refused, some 40 test users; only where nothing is accepted does it go on to --limit. An application with a fixed IV of its own, which does not look at the text, seems to expect the IV in front: `authcli cipher identify` with a payload that it made tells.',
  ],
  examples: [
    {
      about: 'which cipher does it expect?',
      line: 'authcli cipher probe --url http://localhost:8080/callback',
    },
    {
      about: 'set what was found',
      line: `authcli config set cipher "$(authcli cipher probe --url http://localhost:8080/callback --json | jq -r .cipher)"`,
    },
    {
      about: 'try it on an application of the emulator',
      line: `authcli emulate app --cipher 'aes-256-gcm' -- authcli cipher probe`,
    },
  ],
  run: async (options, session) => {
    const transport = await openNetwork(options, session);
    const outcome = await findCipher(options, transport, session);
    for (const note of outcome.notes) session.note(note);
    return report(outcome, options, session);
  },
});

function report(outcome: CipherProbeOutcome, options: Options, session: Session): Outcome {
  const { cipher, diagnosis, trials, testUsers } = outcome;
  const { style } = session;
  const accepted = outcome.accepted.map(formatCipher);
  const found = cipher && formatCipher(cipher);
  const tried = new Set(
    trials.flatMap((trial) => (trial.kind === 'right' ? [formatCipher(trial.cipher)] : [])),
  );
  return {
    fields: {
      url: options.url.href,
      client_id: reveal(options.clientId),
      cipher: found ?? null,
      accepted,
      tried: tried.size,
      test_users: testUsers,
      notes: outcome.notes,
      ...(diagnosis && { diagnosis }),
    },
    lines: [
      `Cipher probe of ${options.url.href}`,
      ...fields(
        [
          ['tried', `${tried.size} ciphers, with ${testUsers} test users (${probePrefix}…)`],
          ['accepted', acceptedText(accepted)],
        ],
        style,
      ),
      ...(accepted.length > 1 ? accepted.slice(0, shown).map((name) => `    ${name}`) : []),
      ...(found === undefined ? [] : foundLines(found, session)),
    ],
    failure: diagnosis,
  };
}

const shown = 10;

function acceptedText(accepted: readonly string[]): string {
  const [first = 'none'] = accepted;
  if (accepted.length < 2) return first;
  return accepted.length > shown ? `${accepted.length}, among them` : String(accepted.length);
}

function foundLines(cipher: string, { style }: Session): readonly string[] {
  return [
    verdict(true, `The application expects ${style.bold(cipher)}.`, style),
    `${marks.arrowOut} to set it: ${style.accent(setCipherLine(cipher))}`,
  ];
}
