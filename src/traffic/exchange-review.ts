import type { CallOutcome, KeyExchangeOutcome } from '../client/call.ts';
import type { Exchange } from '../client/exchange.ts';
import { judgeKeyExchange } from '../client/signup.ts';
import { checks } from '../conformance/catalogue.ts';
import { type CheckFacts, CheckFailed, CheckSkipped, type Review } from '../conformance/check.ts';
import { describeResponse, isAccepted } from '../conformance/expect.ts';
import type { RecordedExchange, RunRecord } from '../conformance/result.ts';
import { signinChecks } from '../conformance/signin-catalogue.ts';
import { expectFields } from '../conformance/signin-expect.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import { exportPublicKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnoseAccepted, type MalformedPart } from '../diagnosis/accepted-input.ts';
import { keepingLatest } from '../latest-results.ts';
import { operations, parseCallbackRequest } from '../protocol/operations.ts';
import { ownProperty } from '../text.ts';
import {
  type CapturedExchange,
  isCallback,
  isOfCheck,
  jsonOf,
  knownText,
  toExchange,
} from './capture.ts';
import { type Departure, departuresOf, logFacts } from './departures.ts';

/** A requirement that an exchange broke. */
export interface Finding extends Departure {
  /** Who has to change something. */
  readonly side: 'application' | 'service';
  /** Seen with a key that was given for all users: with several, it may be another's. */
  readonly isKeyGuessed?: true;
  /** Of a payload that no cipher decrypted so far: whether that still holds, with what later traffic showed. */
  readonly isStillWrong?: (() => boolean) | undefined;
  /** A log has no response; that says nothing where it has none at all. */
  readonly isUnanswered?: true;
}

export type Verdict = Omit<Finding, 'side'>;

/** What is wrong with the request; those of authcli's own checks are wrong on purpose. */
export function requestFindings(captured: CapturedExchange): Finding[] {
  const { request, operation } = captured;
  if (request === undefined || isOfCheck(captured)) return [];
  if (isCallback(captured))
    return departuresOf(request).map((found) => ({ ...found, side: 'service' }));
  if (operation !== 'token' && operation !== 'authenticate') return [];
  const exchange = toExchange(captured);
  const call = { operation, path: exchange.request.url.pathname, basePath: '', exchange };
  const fields = jsonOf(request);
  const secretKey = Secret.text(textIn(captured, 'secret_key'));
  const found = signinChecks.flatMap((check) => {
    if (check.id === `signin/${operation}-fields` && request.isCut !== true) {
      const { requestFields } = operations[operation];
      const values = requestFields.map((name) => [name, String(ownProperty(fields, name))]);
      return verdictOf(check, () => expectFields(call, Object.fromEntries(values)));
    }
    const { reviewCall } = check;
    const isKnown = check.id !== 'signin/secret-in-body-only' || secretKey.reveal() !== '';
    const isSeen = reviewCall !== undefined && isKnown && isWrittenDown(check.id, captured);
    return isSeen ? verdictOf(check, () => reviewCall(call, secretKey)) : [];
  });
  const logged = captured.isLogged && secretKey.reveal() !== '' ? [loggedSecret] : [];
  return [...found, ...logged].map((each) => ({ ...each, side: 'application' }));
}

const loggedSecret: Verdict = {
  check: logFacts.secretKey,
  fault: {
    expected: 'a masked secret_key, or none',
    observed: 'the secret_key in plain in the log',
    fix: 'Mask secret_key in what the application logs, and replace the key: who can read the log can sign in as the application.',
  },
};

/** Whether what a check of a request is about was captured; of the path of {auth_url} nothing is known. */
function isWrittenDown(id: string, { request }: CapturedExchange): boolean {
  if (id === 'signin/path') return false;
  if (id === 'signin/method') return request?.method !== undefined;
  if (id === 'signin/content-type') return request?.headers !== undefined;
  return true;
}

/** The exchange as those of a run; a request that isn't valid may be refused. */
export function recordOf(
  captured: CapturedExchange,
  operation: RecordedExchange['operation'],
  outcome: CallOutcome<object>,
): RecordedExchange {
  const { ptnCd } = captured;
  return {
    check: '',
    operation,
    intent: captured.isTest || !isValid(captured) ? 'wrong' : 'right',
    ptnCd,
    exchange: outcome.exchange,
    outcome,
    alone: !isOfCheck(captured),
  };
}

function isValid({ operation, request }: CapturedExchange): boolean {
  if (request === undefined || request.isCut) return true;
  const { body } = request;
  const isCall = operation === 'token' || operation === 'authenticate';
  return isCall ? operations[operation].parseRequest(body).ok : parseCallbackRequest(body).ok;
}

/** The verdict of a check on the record; nothing where it passes or can't be judged. */
export function reviewed(
  check: CheckFacts & { readonly review?: Review },
  record: RunRecord,
  clientId: string,
): Verdict[] {
  return verdictOf(check, () => check.review?.(record, clientId));
}

function verdictOf(check: CheckFacts, judge: () => void): Verdict[] {
  try {
    judge();
    return [];
  } catch (error) {
    if (error instanceof CheckFailed) return [{ check, fault: error.fault }];
    if (error instanceof CheckSkipped) return [];
    throw error;
  }
}

/** The checks that send each kind of wrong callback, by the field that is missing. */
const refusing: Readonly<Record<string, string>> = {
  ptn_cd: 'key-exchange/rejects-missing-field',
  public_key: 'key-exchange/rejects-missing-field',
  partner_sp: 'registration/rejects-missing-passcode',
  used_type: 'protocol/rejects-unknown-used-type',
};

/** A callback without a field that it needs, or not JSON at all, and accepted. */
export function acceptedWrong(
  captured: CapturedExchange,
  { outcome }: RecordedExchange,
): Verdict[] {
  const { request } = captured;
  if (request === undefined || request.isCut || !isCallback(captured)) return [];
  if (!isAccepted(outcome)) return [];
  const reading = parseCallbackRequest(request.body);
  if (reading.ok) return [];
  const { field, problem } = reading;
  if (field !== undefined && ownProperty(jsonOf(request), field) !== undefined) return [];
  const id = field === undefined ? 'protocol/rejects-malformed-json' : refusing[field];
  const check = checks.find((candidate) => candidate.id === id);
  if (check === undefined) return [];
  const diagnosis = diagnoseAccepted(
    `${problem} The request was accepted.`,
    (field ?? 'body') as MalformedPart,
  );
  const fault = {
    expected: 'a code other than "0000" for a request that lacks what it needs',
    observed: describeResponse(outcome),
    fix: diagnosis.hint,
    diagnosis,
    evidence: outcome.exchange,
  };
  return [{ check, fault }];
}

/**
 * The key exchange with its key decrypted, where a private key fits; otherwise the form of
 * `enc_partner_key` is judged alone.
 */
export async function openKeyExchange(
  captured: CapturedExchange,
  exchange: Exchange,
  privateKeys: readonly RsaPrivateKey[],
): Promise<KeyExchangeOutcome> {
  const text = textIn(captured, 'public_key').trim();
  const context = { ptnCd: captured.ptnCd ?? '', examinesStrength: false } as const;
  const sent = privateKeys.filter((key) => exportPublicKey(key.publicKey) === text);
  const candidates = [...new Set([...sent, ...privateKeys])];
  let outcome = await judgeKeyExchange(exchange, { ...context, modulusBytes: sizesOf(text) });
  for (const keyPair of candidates) {
    const earlierKeyPairs = candidates.filter((other) => other !== keyPair);
    const opened = await judgeKeyExchange(exchange, { ...context, keyPair, earlierKeyPairs });
    if (!sent.includes(keyPair) && opened.key === undefined) continue;
    outcome = opened;
    break;
  }
  return { ...outcome, key: outcome.key ?? captured.key };
}

const sizesOf = keepingLatest(4, (publicKey: string): readonly number[] => {
  const key = publicKeyIn(publicKey)?.key;
  return key === undefined ? [] : [key.modulusBytes];
});

/** A field of the request that is a text; empty where it isn't one, or is hidden. */
export function textIn({ request }: CapturedExchange, name: string): string {
  return knownText(ownProperty(jsonOf(request), name)) ?? '';
}
