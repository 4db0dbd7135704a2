import { type Cipher, formatCipher } from '../../crypto/cipher.ts';
import { diagnoseProbedCipher } from '../../diagnosis/cipher-probe.ts';
import type { Diagnosis } from '../../errors.ts';
import { failureText } from '../../reports/failure-text.ts';
import { fields } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { counted } from '../../text.ts';
import { cipherFlag, clientIdFlag, privateKeyFlags, urlFlag } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { integer } from '../args/values.ts';
import { defineCommand, type Line } from '../command.ts';
import { openNetwork } from '../network.ts';
import type { Next } from '../next-command.ts';
import type { Session } from '../session.ts';
import { cipherOrigin, findCipher, probePrefix } from '../simulate/cipher-finding.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';
import { remarkColumns } from '../terminal/style.ts';

export const cipherProbe = defineCommand({
  path: 'cipher probe',
  about: `Finds the cipher that an application decrypts and compares it with the configured one: signs up a test user with each likely cipher, most likely first, and checks which registration is accepted. An undecryptable passcode detects an application that accepts everything. The application retains the test users; their codes begin with ${probePrefix}. Nothing is saved locally.`,
  flags: {
    url: urlFlag,
    clientId: clientIdFlag,
    cipher: { ...cipherFlag, about: 'the configured cipher, which is tried first' },
    limit: flag('--limit <n>', 'stop after N ciphers', {
      fallback: '256',
      parse: integer(1, 10_000),
    }),
    ...privateKeyFlags,
    userInfo: registrationFlags.userInfo,
    noUserInfo: registrationFlags.noUserInfo,
    ...networkFlags,
  },
  exclusive: [['userInfo', 'noUserInfo']],
  notes: [
    'It stops once a cipher is accepted and enough others are refused, after about 40 test users; it continues to --limit only if nothing is accepted. If an application with a fixed IV does not validate what it decrypts, it seems to expect the IV as a prefix: to be sure, run `authcli cipher identify` on a payload that it encrypted.',
  ],
  examples: {
    'find the cipher': 'authcli cipher probe --url http://localhost:8080/callback',
    'set the cipher that was found': `authcli config set cipher "$(authcli cipher probe --url http://localhost:8080/callback --json | jq -r .cipher)"`,
    'try it on the emulated application': `authcli emulate app --cipher 'aes-256-gcm' -- authcli cipher probe`,
  },
  run: async (options, session) => {
    const transport = await openNetwork(options, session);
    const outcome = await findCipher(options, transport, session);
    const { cipher, diagnosis, tried, untried, testUsers, notes } = outcome;
    for (const note of notes) session.note(note);
    const origin = await cipherOrigin(options.cipher, session);
    const finding = diagnoseProbedCipher(outcome, { cipher: options.cipher, origin });
    const accepted = outcome.accepted.map(formatCipher);
    const users = `${counted(testUsers, 'test user')} (${probePrefix}…)`;
    const named = accepted.length === 0 ? ['none'] : accepted.slice(0, 10);
    const rows = [
      ['tried', `${counted(tried, 'cipher')}, with ${users}`],
      ...named.map((name, index) => [index === 0 ? 'accepted' : '', name] as const),
    ] as const;
    // Where the limit ended the search without a result, the run again without that limit.
    const isCutOff = untried > 0 && accepted.length === 0;
    const withoutLimit: Next = { again: true, add: [['--limit', String(tried + untried)]] };
    return {
      fields: {
        url: options.url.href,
        client_id: reveal(options.clientId),
        cipher: cipher === undefined ? null : formatCipher(cipher),
        accepted,
        tried,
        test_users: testUsers,
        notes,
        ...(finding && { diagnosis: finding }),
      },
      lines: [
        `Cipher probe of ${options.url.href}`,
        ...fields(rows, session.style),
        ...(cipher === undefined ? [] : weighedLines(cipher, finding, session)),
      ],
      failure: diagnosis && (isCutOff ? { ...diagnosis, next: withoutLimit } : diagnosis),
    };
  },
});

/** Both fixes, since only the service's specification says which of the two ciphers is right. */
function weighedLines(
  cipher: Cipher,
  finding: Diagnosis | undefined,
  session: Session,
): readonly Line[] {
  const { style, context } = session;
  const found = formatCipher(cipher);
  if (finding === undefined) {
    const text = `The application decrypts ${style.bold(found)}, as configured.`;
    return [session.done(text)];
  }
  const { message, hint, calls } = finding;
  const next = session.commandLine(['config', 'set', 'cipher', found]);
  const look = session.failureLook(style, remarkColumns(context.stdout));
  return failureText({ cause: message, fix: hint, calls, next }, look);
}
