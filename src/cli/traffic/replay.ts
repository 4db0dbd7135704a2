import { type Cipher, defaultCipher, parseCipher } from '../../crypto/cipher.ts';
import { callbackUrl } from '../../protocol/endpoints.ts';
import { marks } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { counted, grouped, roundTo } from '../../text.ts';
import { Learner } from '../../traffic/learn.ts';
import { type ReplayedCallback, startReplay } from '../../traffic/replay.ts';
import { flag } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { nonEmpty } from '../args/values.ts';
import { defineCommand, type Line } from '../command.ts';
import { usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { keyPairs } from '../simulate/signup.ts';
import { exchangesOf } from './traffic-files.ts';

export const replay = defineCommand({
  path: 'replay',
  about:
    'Sends the callbacks of a recording to an application again, in their order, with fresh users and a key pair of its own, and compares the responses with the recorded ones: code, HTTP status, fields and their types, headers that matter. Says what is still refused, now accepted and now refused; exits with 0 if nothing is refused that is to be accepted.',
  flags: {
    file: flag('<file>', 'a recording, as relay --record writes it', { input: 'path' }),
    to: flag('--to <url>', 'the callback URL of the application to try', {
      required: true,
      parse: callbackUrl,
    }),
    clientId: flag('--client-id <id>', 'send this client_id instead of the recorded one', {
      parse: nonEmpty,
    }),
    cipher: flag('--cipher <notation>', 'the cipher (default: as the recording shows)', {
      parse: parseCipher,
      candidates: 'cipher',
    }),
    ...networkFlags,
  },
  notes: [
    'With a recording that has values (--show-secrets) the recorded passcodes and user information are sent again; with any other, invented ones.',
    'The cipher is that of --cipher, or the one that the recording shows (with the keys that relay --decrypt records), or the setting.',
    'Token and authenticate calls of the recording are left out: the application makes them itself.',
  ],
  examples: {
    'the application after a change':
      'authcli replay session.jsonl --to http://localhost:8080/callback',
    'the differences, for a script':
      "authcli replay session.jsonl --to http://localhost:8080/callback --json | jq '.callbacks[].differences[]'",
    'with another cipher than the recorded service':
      "authcli replay session.jsonl --to http://localhost:8080/callback --cipher 'aes-256-cbc?iv=zero'",
  },
  run: async (options, session) => {
    const { randomBytes, now } = session.context;
    const { keyPair } = await keyPairs({}, session);
    const transport = await openNetwork(options, session);
    const send = startReplay({
      url: options.to,
      clientId: options.clientId,
      transport,
      keyPair,
      cipher: options.cipher ?? (await recordedCipher(options.file, session)),
      randomBytes,
      now,
      hide: (secret) => session.secrets.add(secret),
    });
    const callbacks: ReplayedCallback[] = [];
    for await (const exchange of exchangesOf([options.file], session)) {
      const callback = await send(exchange);
      if (callback === undefined) continue;
      if (callback.ptnCd !== undefined) session.secrets.show(callback.ptnCd);
      callbacks.push(callback);
    }
    if (callbacks.length === 0)
      throw usage(
        `No callback was found in ${options.file}.`,
        'Record a sign-up with `authcli relay --to URL --record FILE`.',
      );
    const different = callbacks.filter(({ differences }) => differences.length > 0);
    const byOutcome = [...grouped(callbacks, ({ outcome }) => outcome)];
    const counts = byOutcome.map(([outcome, { length }]) => `${length} ${outcome}`).join(', ');
    return {
      fields: {
        callbacks: callbacks.map(callbackFields),
        sent: callbacks.length,
        different: different.length,
      },
      lines: [
        ...callbacks.flatMap((callback) => callbackLines(callback, session)),
        '',
        `${counted(callbacks.length, 'callback')} sent again: ${counts}; ${different.length} with another response than recorded.`,
      ],
      failure: callbacks.find(({ diagnosis }) => diagnosis)?.diagnosis,
    };
  },
});

/** The cipher that the recording shows, or else that of the profile. */
async function recordedCipher(file: string, session: Session): Promise<Cipher> {
  const learner = new Learner();
  let observed = 0;
  if (file !== '-')
    for await (const exchange of exchangesOf([file], session)) {
      learner.observe(exchange);
      observed += 1;
      if (observed === mostObserved) break;
    }
  const shown = learner.read().find(({ setting }) => setting === 'cipher')?.value;
  const { settings } = await session.state();
  const value = shown ?? settings.list().cipher;
  return value === undefined ? defaultCipher : parseCipher(value);
}

/** Exchanges that are looked through for it. */
const mostObserved = 200;

function callbackFields(callback: ReplayedCallback) {
  const { recorded, ptnCd, exchange, outcome, differences, diagnosis } = callback;
  return {
    outcome: reveal(outcome),
    source: recorded.source,
    operation: reveal(recorded.operation),
    recorded_ptn_cd: recorded.ptnCd ?? null,
    ptn_cd: ptnCd ?? null,
    recorded_duration_ms: recorded.durationMs ?? null,
    duration_ms: roundTo(3, exchange.durationMs),
    differences,
    ...(diagnosis && { diagnosis }),
  };
}

function callbackLines(callback: ReplayedCallback, { style }: Session): readonly Line[] {
  const { recorded, ptnCd, exchange, outcome, differences, diagnosis } = callback;
  const sign = diagnosis ? style.bad(marks.bad) : style.good(marks.good);
  const [before = '?', now] = [recorded.durationMs, exchange.durationMs].map(
    (ms) => ms && Math.round(ms),
  );
  const times = `${before} ms, now ${now} ms`;
  return [
    `${sign} ${recorded.source}  ${recorded.operation}  ${ptnCd ?? ''}  ${outcome}  ${style.dim(times)}`,
    ...differences.map(
      ({ what, recorded: before, replayed }) => `    ${what}: recorded ${before}, now ${replayed}`,
    ),
    ...(diagnosis ? [`    ${diagnosis.code}: ${diagnosis.message}`] : []),
  ];
}
