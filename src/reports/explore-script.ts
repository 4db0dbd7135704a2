import { isAccepted } from '../conformance/expect.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { algorithmOf } from '../crypto/cipher.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import type { SentCallback } from '../explore/execute.ts';
import type { SentStep } from '../explore/execution.ts';
import type { ExploreFailure } from '../explore/explore.ts';
import { hasConcurrency } from '../explore/sequence.ts';
import type { SentSignIn } from '../explore/service-execute.ts';
import { isJsonObject, parseJsonText } from '../protocol/json.ts';
import { shellWord } from '../text.ts';
import {
  roundLines,
  scriptEnd,
  scriptHead,
  scriptVerdict,
  serviceHead,
} from './explore-script-parts.ts';
import { curlWords, needed, roundsOf, type Stand, wordsOf } from './explore-script-requests.ts';
import { keptConnectionStart, keptRequestLines, keptRequests } from './kept-connection-script.ts';

/** What a script needs beside the failure. */
export interface ScriptOptions {
  readonly clientId: string;
  readonly cipher: Cipher;
  /** The secret key of a service, which the script takes from its environment. */
  readonly secretKey?: string;
  /** Prints a ptn_token; without it the script makes one for the emulated service. */
  readonly ptnTokenCommand?: string | undefined;
}

/**
 * A script for sh(1) that shows a failure with curl and openssl alone: it exits with 1 if the responses show the fault,
 * with 0 if not, and with 3 if nothing responded. Undefined where that can't be scripted: what only the fields of a
 * response or a kept connection to a service show, and ciphers that `openssl enc` or this script doesn't have.
 */
export function exploreScript(failure: ExploreFailure, options: ScriptOptions): string | undefined {
  const { execution, sequence } = failure;
  const { sent, violation } = execution;
  if (violation.kind === 'fields' || violation.kind === 'leak') return undefined;
  const signIns = isSignIns(sent) ? sent : undefined;
  if (signIns && failure.onKeptConnectionOnly) return undefined;
  const lines = signIns
    ? signInLines(signIns, options)
    : callbackLines(sent as readonly SentCallback[], failure, options);
  const condition = lines && conditionOf(violation.kind, sent, violation.steps);
  if (lines === undefined || condition === undefined) return undefined;
  const pattern = sent.map(
    (step, index) => `${isAccepted(step.outcome) ? 'accepted' : 'refused'} ${index + 1}`,
  );
  const attempt = [
    ...lines,
    '',
    `# ${violation.why}`,
    `# The fault shows if the responses are these, and not ${violation.expected}:`,
    `if ${[...pattern, ...condition].join(' &&\n  ')}; then`,
    ...scriptVerdict,
  ];
  return [
    ...scriptHead(violation.title),
    ...(violation.kind === 'passcode' ? neededFor(userOf(violation.steps)) : []),
    ...(signIns ? signInHead(signIns, options) : []),
    ...(hasConcurrency(sequence) ? repeatedly(attempt) : [newRun, ...attempt]),
    ...scriptEnd,
  ].join('\n');
}

/** Requests at the same time mostly miss each other: each attempt has new users. */
function repeatedly(attempt: readonly string[]): readonly string[] {
  const start = [`for attempt in $(seq ${attemptsAtRaces}); do`, newRun, 'rm -f "$dir"/[0-9]*'];
  return [...start, ...attempt, 'done'];
}

const attemptsAtRaces = 20;
const newRun = 'run=$(openssl rand -hex 6)';

function isSignIns(sent: readonly SentStep[]): sent is readonly SentSignIn[] {
  return sent.some(({ operation }) => /^(?:token|authenticate)\//.test(operation.id));
}

/** The number of the user whose response is wrong. */
function userOf([wrong]: readonly SentStep[]): number {
  return (wrong?.step.user ?? 0) + 1;
}

/** What only the user's own store knows: without it the script would always show a fault. */
function neededFor(user: number): readonly string[] {
  return [
    `need "$KEY_${user}" KEY_${user} "the per-user key of user ${user}"`,
    `need "$PASSCODE_${user}" PASSCODE_${user} "the passcode of user ${user}"`,
  ];
}

/** What must be so beside which requests were accepted. */
function conditionOf(
  kind: string,
  sent: readonly SentStep[],
  steps: readonly SentStep[],
): readonly string[] | undefined {
  const [wrong] = steps;
  const number = wrong === undefined ? 0 : sent.indexOf(wrong) + 1;
  if (kind === 'answer') return [];
  if (kind === 'key') return [`test "$(printf %s "$key_${number}" | wc -c)" -ne 32`];
  if (kind === 'key-repeated') {
    const { key } = wrong as SentCallback;
    const earlier = (sent as readonly SentCallback[]).findIndex((step) => step.key === key);
    return [`test "$key_${number}" = "$key_${earlier + 1}"`];
  }
  const user = userOf(steps);
  if (kind === 'other-user') return [`test "$(field ${number} ptn_cd)" != "$user_${user}"`];
  if (kind === 'passcode')
    return [`test "$(passcode ${number} "$KEY_${user}")" != "$PASSCODE_${user}"`];
  return undefined;
}

function callbackLines(
  sent: readonly SentCallback[],
  { sequence, onKeptConnectionOnly }: ExploreFailure,
  { cipher }: ScriptOptions,
): readonly string[] | undefined {
  const connection = onKeptConnectionOnly ? keptRequests(sent) : undefined;
  if (onKeptConnectionOnly && connection === undefined) return undefined;
  const stands: Stand[] = [];
  const lines: string[] = [];
  const users = new Set<string>();
  // Codes that nearly collide are parts of each other: they are sent as they were, in each run of the script.
  const areNew = sequence.users.every(({ variant }) => variant === 'plain');
  for (const { ptnCd, step } of sent) {
    if (!areNew || users.has(ptnCd)) continue;
    users.add(ptnCd);
    lines.push(`user_${step.user + 1}=authcli-script-$run-${step.user + 1}`);
    stands.push([ptnCd, `"$user_${step.user + 1}"`]);
  }
  const pairs = new Map<string, string>();
  for (const { built } of sent) {
    const publicKey = fieldsIn(built.request.body).public_key;
    if (built.keyPair === undefined || publicKey === undefined || pairs.has(publicKey)) continue;
    if (built.model.form === 'invalid') continue;
    const name = `pair_${pairs.size + 1}`;
    pairs.set(publicKey, name);
    lines.push(`${name}=$(new_pair ${name} ${built.keyPair.modulusBits})`);
    stands.push([publicKey, `"$${name}"`]);
  }
  if (connection) lines.push('', ...keptConnectionStart(connection.requests, connection.bodyBytes));
  for (const round of roundsOf(sent)) {
    const requests: (readonly [number, string])[] = [];
    const kept: string[] = [];
    const keys: string[] = [];
    lines.push('');
    for (const [index, step] of round) {
      const number = index + 1;
      lines.push(`# ${number}. user ${step.step.user + 1}: ${step.operation.about}`);
      const payloads = payloadLines(number, step, sent.slice(0, index), cipher);
      if (payloads === undefined) return undefined;
      lines.push(...payloads.lines);
      const all = [...payloads.stands, ...stands];
      const place = connection?.requests.findIndex((each) => each.number === number) ?? -1;
      if (place < 0) requests.push([number, curlWords(step, all)]);
      else kept.push(...keptRequestLines(wordsOf(step, all).body, connection?.requests[place + 1]));
      const pair = pairs.get(fieldsIn(step.built.request.body).public_key ?? '');
      if (step.key !== undefined && pair !== undefined)
        keys.push(`key_${number}=$(open_key ${number} ${pair})`);
    }
    lines.push(...kept, ...roundLines(requests), ...needed(round), ...keys);
  }
  return lines;
}

function fieldsIn(body: Uint8Array): Readonly<Record<string, string | undefined>> {
  try {
    const value = parseJsonText(new TextDecoder().decode(body));
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    );
  } catch {
    return {};
  }
}

/** Encrypts again what the request contains: the keys are new in each run. */
function payloadLines(
  number: number,
  { built, step }: SentCallback,
  before: readonly SentCallback[],
  cipher: Cipher,
): { readonly lines: readonly string[]; readonly stands: readonly Stand[] } | undefined {
  const fields = fieldsIn(built.request.body);
  const lines: string[] = [];
  const stands: Stand[] = [];
  for (const name of ['partner_sp', 'ubifill'] as const) {
    const payload = fields[name];
    if (payload === undefined) continue;
    if (!isScriptable(cipher)) return undefined;
    const variable = `${name}_${number}`;
    const maker = before.findLastIndex(
      ({ key }) => key !== undefined && decryptPayload(payload, key, cipher).ok,
    );
    const own = before.findLastIndex(
      (each) => each.key !== undefined && each.step.user === step.user,
    );
    const bits = algorithmOf(cipher).keyBytes * 8;
    const key = maker >= 0 ? maker : own;
    const sealing = maker < 0 && own >= 0 ? 'seal_badly' : 'seal';
    const text = name === 'partner_sp' ? `Passcode-of-step-${number}` : '{"name":"A"}';
    const keyText = key < 0 ? '"$(openssl rand -hex 16)"' : `"$key_${key + 1}"`;
    lines.push(`${variable}=$(${sealing} ${bits} ${keyText} ${shellWord(text)})`);
    stands.push([payload, `"$${variable}"`]);
  }
  return { lines, stands };
}

function isScriptable({ algorithm, key, iv, padding, encoding }: Cipher): boolean {
  const isPlain = key === 'utf8' && iv === 'prefix' && padding === 'pkcs7' && encoding === 'base64';
  return isPlain && /^aes-\d+-cbc$/.test(algorithm);
}

function signInHead(
  sent: readonly SentSignIn[],
  { clientId, ptnTokenCommand, cipher }: ScriptOptions,
): readonly string[] {
  const needsKeys = sent.some(
    ({ built, operation }) => built.form === 'valid' && operation.kind === 'authenticate',
  );
  const bits = needsKeys ? algorithmOf(cipher).keyBytes * 8 : 256;
  return serviceHead({ clientId, ptnTokenCommand, bits });
}

function signInLines(
  sent: readonly SentSignIn[],
  { secretKey = '' }: ScriptOptions,
): readonly string[] {
  const lines: string[] = [];
  const stands: Stand[] = [[secretKey, '"$secret"']];
  const users = new Set<number>();
  let issuedAt = 0;
  for (const { ptnCd, step } of sent) {
    if (users.has(step.user)) continue;
    users.add(step.user);
    lines.push(`user_${step.user + 1}=${shellWord(ptnCd)}`);
  }
  for (const round of roundsOf(sent)) {
    lines.push('');
    const requests: (readonly [number, string])[] = [];
    const after: string[] = [];
    for (const [index, step] of round) {
      const number = index + 1;
      lines.push(`# ${number}. user ${step.step.user + 1}: ${step.operation.about}`);
      const { token } = step.built;
      const isNew = token !== undefined && !stands.some(([text]) => text === token.text);
      if (isNew && step.operation.kind === 'token') {
        lines.push(`ptn_${number}=$(new_ptn_token "$user_${step.step.user + 1}")`);
        stands.push([token.text, `"$ptn_${number}"`]);
      }
      if (step.operation.id === 'authenticate/expired-token') {
        lines.push(`sleep ${Math.max(0, Math.ceil((step.sentAt - issuedAt) / 1000))}`);
      }
      requests.push([number, curlWords(step, stands)]);
      if (step.acsToken === undefined) continue;
      issuedAt = step.sentAt;
      after.push(`acs_${number}=$(field ${number} acs_token)`);
      stands.unshift([step.acsToken, `"$acs_${number}"`]);
    }
    lines.push(...roundLines(requests), ...needed(round), ...after);
  }
  return lines;
}
