import { callbackUrl } from '../../protocol/endpoints.ts';
import { marks } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { counted, roundTo } from '../../text.ts';
import { Replay, type ReplayedCallback } from '../../traffic/replay.ts';
import { cipherFlag } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { nonEmpty } from '../args/values.ts';
import { defineCommand, type Line } from '../command.ts';
import { type Failure, usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { keyPairs } from '../simulate/signup.ts';
import { exchangesOf } from './traffic-files.ts';

export const replay = defineCommand({
  path: 'replay',
  about:
    'Sends the callbacks of a recording to an application again, in their order, with fresh users and a key pair of its own, and compares the responses with the recorded ones: code, HTTP status, fields and their types, headers that matter. Exits with 1 if any differs.',
  flags: {
    file: flag('<file>', 'a recording, as relay --record writes it', { input: 'path' }),
    to: flag('--to <url>', 'the callback URL of the application to try', {
      required: true,
      parse: callbackUrl,
    }),
    clientId: flag('--client-id <id>', 'send this client_id instead of the recorded one', {
      parse: nonEmpty,
    }),
    cipher: cipherFlag,
    ...networkFlags,
  },
  notes: [
    'With a recording that has values (--show-secrets) the recorded passcodes and user information are sent again; with any other, invented ones.',
    'Token and authenticate calls of the recording are left out: the application makes them itself.',
  ],
  examples: {
    'the application after a change':
      'authcli replay session.jsonl --to http://localhost:8080/callback',
    'the differences, for a script':
      "authcli replay session.jsonl --to http://localhost:8080/callback --json | jq '.callbacks[].differences[]'",
    'with the cipher of the recorded service':
      "authcli replay session.jsonl --to http://localhost:8080/callback --cipher 'aes-256-cbc?iv=zero'",
  },
  run: async (options, session) => {
    const { randomBytes, now } = session.context;
    const { keyPair } = await keyPairs({}, session);
    const transport = await openNetwork(options, session);
    const engine = new Replay({
      url: options.to,
      clientId: options.clientId,
      transport,
      keyPair,
      cipher: options.cipher,
      randomBytes,
      now,
      hide: (secret) => session.secrets.add(secret),
    });
    const callbacks: ReplayedCallback[] = [];
    for await (const exchange of exchangesOf([options.file], session)) {
      const callback = await engine.send(exchange);
      if (callback === undefined) continue;
      if (callback.ptnCd !== undefined) session.secrets.show(callback.ptnCd);
      callbacks.push(callback);
    }
    if (callbacks.length === 0)
      throw usage(
        `No callback was found in ${options.file}.`,
        'Record a sign-up with `authcli relay --to URL --record FILE`.',
      );
    const different = callbacks.filter(isDifferent);
    return {
      fields: {
        callbacks: callbacks.map(callbackFields),
        sent: callbacks.length,
        different: different.length,
      },
      lines: [
        ...callbacks.flatMap((callback) => callbackLines(callback, session)),
        '',
        `${counted(callbacks.length, 'callback')} sent again, ${different.length} with a different response.`,
      ],
      failure: failureOf(different),
    };
  },
});

function isDifferent({ differences, diagnosis }: ReplayedCallback): boolean {
  return differences.length > 0 || diagnosis !== undefined;
}

/** A diagnosis says more than that a field differs. */
function failureOf(different: readonly ReplayedCallback[]): Failure | undefined {
  const [first] = different;
  if (first === undefined) return undefined;
  const diagnosis = different.find((callback) => callback.diagnosis)?.diagnosis;
  if (diagnosis !== undefined) return diagnosis;
  const { what, recorded, replayed } = first.differences[0] ?? {};
  return {
    code: 'checks-failed',
    message: `The response to the ${first.recorded.operation} of ${first.recorded.source} differs in ${what}: recorded ${recorded}, now ${replayed}.`,
    hint: 'If the change is intended, record a new session; else compare the two versions of the application.',
  };
}

function callbackFields({ recorded, ptnCd, exchange, differences, diagnosis }: ReplayedCallback) {
  return {
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
  const { recorded, ptnCd, exchange, differences, diagnosis } = callback;
  const sign = isDifferent(callback) ? style.bad(marks.bad) : style.good(marks.good);
  const [before = '?', now] = [recorded.durationMs, exchange.durationMs].map(
    (ms) => ms && Math.round(ms),
  );
  const times = `${before} ms, now ${now} ms`;
  return [
    `${sign} ${recorded.source}  ${recorded.operation}  ${ptnCd ?? ''}  ${style.dim(times)}`,
    ...differences.map(
      ({ what, recorded: before, replayed }) => `    ${what}: recorded ${before}, now ${replayed}`,
    ),
    ...(diagnosis ? [`    ${diagnosis.code}: ${diagnosis.message}`] : []),
  ];
}
