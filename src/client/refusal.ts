import { setTimeout as sleep } from 'node:timers/promises';
import type { Secret } from '../crypto/secret.ts';
import { storeCalls } from '../diagnosis/calls.ts';
import { triedOf } from '../diagnosis/cipher-probe.ts';
import type { CallbackStep } from '../diagnosis/error-situations.ts';
import { diagnoseUsers, type SignupAttempt } from '../diagnosis/refused-users.ts';
import {
  isInWords,
  isSaid,
  mayBeDecryption,
  namesMissing,
  narrowRegistration,
  withoutReason,
} from '../diagnosis/registration-cause.ts';
import { type Diagnosis, isConnectionCode } from '../errors.ts';
import { successCode } from '../protocol/response.ts';
import { quoted } from '../text.ts';
import { type CallOutcome, editFields } from './call.ts';
import { orUndefined, probeCipher } from './cipher-probe.ts';
import { type Difference, firstDifference, type Trial } from './difference.ts';
import {
  type Exchange,
  responseOf,
  statusOf,
  type Transport,
  type WireRequest,
} from './exchange.ts';
import { type Experiment, experiments, inWords, type Variation } from './experiments.ts';
import {
  judgeRegistration,
  operationOf,
  registrationRequest,
  type SignupInput,
  type SignupStep,
} from './signup.ts';
import { type TestUserSource, TestUsers } from './test-users.ts';

/** A valid callback, which was refused or accepted. */
export interface ValidCallback {
  readonly step: SignupStep;
  /** What it was made of. */
  readonly input: SignupInput;
  /** Of a registration, the key that the application returned. */
  readonly key?: Secret | undefined;
}

export interface ExaminationTools extends TestUserSource {
  readonly inventsUsers: boolean;
  /** The search for the cipher after the experiments; none by default. */
  readonly search?: {
    /** Ciphers to try. */
    readonly limit: number;
    /** Where the configured cipher comes from, for messages. */
    readonly origin?: string;
  };
}

export interface Explanation {
  readonly diagnosis: Diagnosis | undefined;
  /** The codes of test users. */
  readonly users: readonly string[];
  /** The ciphers of the notation, where the search tried less and found nothing. */
  readonly untriedOf?: number;
}

/** Before the search for the cipher. */
export const mostRequests = 12;

/** A search for the cipher takes a user for each, and as many again to confirm and to compare. */
export const mostTestUsers = (limit: number) => 2 * limit;

/** Whether a callback was refused with a response, so that experiments can show why. */
export function isRefused(outcome: CallOutcome<object>): boolean {
  const { exchange, reading, ok } = outcome;
  const status = exchange.response?.status;
  if (ok || status === undefined || reading === undefined) return false;
  return reading.problem?.kind === 'code-not-success' || status >= 400 || isWithoutCode(outcome);
}

/** A response such as `{}` or `{"ok":false}`, which may be a refusal, or what an application that accepts forgot. */
function isWithoutCode({ reading, exchange }: CallOutcome<object>): boolean {
  const { problem, seen = {} } = reading ?? {};
  const isMissing = problem?.kind === 'field-missing' && problem.field === 'code';
  return isMissing && (statusOf(exchange) ?? 400) < 400 && Object.keys(seen).length === 0;
}

/**
 * Finds out why a valid callback was refused: repeats it with other users, changes one property at a time until it is
 * accepted, and where nothing helped, tries the ciphers that a registration may be decrypted with.
 */
export async function explainRefusal(
  transport: Transport,
  refused: ValidCallback,
  tools: ExaminationTools,
): Promise<Explanation> {
  const { step, input } = refused;
  const told = step.diagnosis;
  const mayBeAccepted = isWithoutCode(step);
  if (told === undefined || isSaid(told)) return { diagnosis: told, users: [] };
  const examination = new Examination(transport, refused, tools);
  const isRefusal = !mayBeAccepted || (await examination.isSameForAnything());
  if (!isRefusal) return { diagnosis: told, users: [] };
  const found = await examination.run();
  const { isLikeUnknown, isGone, users: testUsers } = examination;
  const users = testUsers.codes;
  if (found !== undefined) return { diagnosis: found, users };
  if (isGone) return { diagnosis: withTried(ended(told), examination), users };
  const isForAnything =
    mayBeAccepted || (isInWords(told) && (await examination.isSameForAnything()));
  const failed = isForAnything ? withoutReason(told) : told;
  const isForgotten = isLikeUnknown && namesMissing(failed);
  const mayBeForgotten =
    isForgotten || (isLikeUnknown && !isForAnything && !isSaid(failed, 'likely'));
  const named = mayBeForgotten ? forgottenKey(failed, isForgotten) : failed;
  const untold = withTried(named, examination);
  const { search } = tools;
  const mayBe = mayBeAccepted || mayBeDecryption(failed, step.exchange.response?.status);
  const isOfCipher = step.usedType === '2' && mayBe && !isForgotten;
  if (search === undefined || !isOfCipher) return { diagnosis: untold, users };
  const { limit, origin } = search;
  const { cipher, userInfo } = input;
  const probe = await probeCipher(testUsers, {
    ...input,
    limit,
    mostTestUsers: mostTestUsers(limit),
    userInfo: userInfo?.reveal(),
  });
  const narrowed = narrowRegistration(failed, probe, { cipher, origin });
  if (narrowed !== undefined) return { diagnosis: narrowed, users };
  const { untried } = probe;
  const message = `${untold.message} ${triedOf(probe.tried, untried)}, and none is accepted.`;
  const untriedOf = untried > 0 ? probe.tried + untried : undefined;
  return { diagnosis: { ...untold, message }, users, untriedOf };
}

/** Whether what was accepted of one user is refused of others. */
export async function compareUsers(
  transport: Transport,
  accepted: ValidCallback,
  tools: ExaminationTools,
): Promise<Explanation> {
  const examination = new Examination(transport, accepted, tools);
  const diagnosis = await examination.compareUsers();
  return { diagnosis, users: examination.users.codes };
}

function withTried(
  failed: Diagnosis,
  { tried, further }: Pick<Examination, 'tried' | 'further'>,
): Diagnosis {
  const without = tried.length === 0 ? '' : ` Tried without a difference: ${tried.join(', ')}.`;
  const evidence = { ...failed.evidence, ...((without || further) && { tried }) };
  if (further === undefined) return { ...failed, message: failed.message + without, evidence };
  const { experiment, change } = further;
  const { name, accepts, fix, calls = {} } = experiment;
  return {
    ...failed,
    message: `${failed.message} ${change} with ${accepts}.${without}`,
    ...(failed.confidence === undefined && { hint: fix, calls, confidence: 'likely' }),
    evidence: { ...evidence, experiment: name },
  };
}

function ended(failed: Diagnosis): Diagnosis {
  const message = `${failed.message} While others were tried, the application stopped accepting connections.`;
  return { ...failed, message, hint: 'Read in its log why it ended.', calls: {} };
}

const stores =
  'Store the key under its ptn_cd before responding to the key exchange, where every process of the application finds it: not in a session, in a variable of one process, or in a transaction that is not committed.';

/** Only an error about the missing user, or about a value that isn't there, makes it likely: others may be given for any reason. */
function forgottenKey(failed: Diagnosis, isLikely: boolean): Diagnosis {
  const either =
    'either the application has no key for this user, or it gives this response for other reasons too';
  const why = isLikely ? 'the application probably has no key for this user' : either;
  return {
    ...failed,
    message: `${failed.message} A user who never exchanged a key gets the same response: ${why}.`,
    hint: isLikely
      ? stores
      : `Log in the registration whether a key is found for ptn_cd. If there is none: ${stores}`,
    calls: isLikely ? storeCalls : {},
    confidence: isLikely ? 'likely' : undefined,
    evidence: { ...failed.evidence, experiment: 'never-exchanged' },
  };
}

/** One callback of a test user, or of the user in question. */
interface Attempt extends SignupAttempt {
  /** The key exchange before a registration. */
  readonly before?: Exchange | undefined;
  readonly outcome: SignupStep;
}

/** Of the same user. */
const again: Variation = { keyExchanges: 0 };

class Examination {
  readonly users: TestUsers;
  /** What made no difference, in words. */
  readonly tried: string[] = [];
  /** The first that was refused too, but not by a status. */
  further: { readonly experiment: Experiment; readonly change: string } | undefined;
  isLikeUnknown = false;
  isGone = false;
  readonly #refused: ValidCallback;
  readonly #tools: ExaminationTools;
  readonly #callback: CallbackStep;
  /** The callback in question. */
  readonly #first: Attempt;
  /** That of another user, with everything else the same. */
  #second: Attempt | undefined;
  readonly #most: number;

  constructor(transport: Transport, refused: ValidCallback, tools: ExaminationTools) {
    this.users = new TestUsers(transport, tools);
    this.#refused = refused;
    this.#tools = tools;
    this.#callback = operationOf(refused.step);
    const { step, input, key } = refused;
    this.#first = { ptnCd: input.ptnCd, key, accepted: step.ok, outcome: step };
    // One shows whether the words of the response mean anything.
    this.#most = step.diagnosis && isInWords(step.diagnosis) ? mostRequests - 1 : mostRequests;
  }

  /** Whether a body that is not JSON gets the same response: then nothing in it says why this one was refused. */
  async isSameForAnything(): Promise<boolean> {
    const { ptnCd, outcome } = this.#first;
    const request = editFields(outcome.exchange.request, () => '{');
    const exchange = await this.users.through().send(request);
    const attempt = { ptnCd, outcome: await judgeRegistration(exchange), accepted: false };
    return isSameResponse(attempt, this.#first);
  }

  /** What makes a difference, or undefined. */
  async run(): Promise<Diagnosis | undefined> {
    const first = this.#first;
    if (this.#callback === 'registration' && this.#tools.inventsUsers) {
      const unknown = await this.#attempt({ keyExchanges: 0 });
      this.isLikeUnknown = !unknown.accepted && isSameResponse(unknown, first);
    }
    const second = await this.#attempt();
    this.#second = second;
    if (second.accepted) return this.compareUsers();
    this.tried.push('another user');
    const found = await firstDifference(
      experiments[this.#callback],
      (experiment) => this.#prepare(experiment),
      () => (this.#affords({}) ? this.#attempt() : this.#attempt(again, first)),
      (experiment, attempt) => {
        const change = changeOf(first, attempt);
        if (change === undefined) this.tried.push(inWords(experiment));
        else this.further ??= { experiment, change };
      },
    );
    return found?.kind === 'unsteady' ? this.compareUsers() : found && this.#difference(found);
  }

  /** Undefined where the experiment changes nothing here, or can't be afforded. */
  async #prepare(experiment: Experiment): Promise<Trial<Attempt> | undefined> {
    if (this.isGone) return undefined;
    const { isLikeUnknown } = this;
    const { input } = this.#refused;
    const { inventsUsers } = this.#tools;
    const keyExchange = this.#second?.before;
    const variation = await experiment.vary({ input, keyExchange, isLikeUnknown, inventsUsers });
    // afterwards the refused one is repeated
    if (variation === undefined || !this.#affords(variation, again)) return undefined;
    return {
      attempt: () => this.#attempt(variation),
      mayRepeat: () => this.#affords(variation, {}),
    };
  }

  #affords(...variations: readonly Variation[]): boolean {
    let { requests } = this.users;
    for (const { keyExchanges = 1 } of variations)
      requests += this.#callback === 'registration' ? keyExchanges + 1 : 1;
    return requests <= this.#most;
  }

  /** The callback of another user by default, with one property changed; where no key is exchanged, with that of the known. */
  async #attempt(
    variation: Variation = {},
    known = variation.user === 'second' ? this.#second : undefined,
  ): Promise<Attempt> {
    const { keyExchanges = 1, pauseMs = 0, alter, connection } = variation;
    const { users } = this;
    const ptnCd = variation.input?.ptnCd ?? known?.ptnCd ?? users.nextCode();
    const input: SignupInput = { ...this.#refused.input, ...variation.input, ptnCd };
    if (this.#callback === 'key-exchange') {
      const outcome = await users.exchangeKey(input, users.through(alter, connection));
      return this.#judged({ ptnCd, key: outcome.key, outcome });
    }
    const exchanged = keyExchanges === 0 ? undefined : await users.exchangeKey(input);
    const key = exchanged ? exchanged.key : (known?.key ?? this.#refused.key);
    const before = exchanged?.exchange ?? known?.before;
    const request = key && orUndefined(() => registrationRequest({ ...input, key }));
    if (request === undefined)
      return this.#judged({ ptnCd, key, outcome: exchanged ?? this.#refused.step });
    if (pauseMs > 0) await sleep(pauseMs);
    const altered = alter && ((sent: WireRequest) => alter(sent, before));
    const exchange = await users.through(altered, connection).send(request);
    const outcome = await judgeRegistration(exchange, input.cipher);
    return this.#judged({ ptnCd, key, before, outcome });
  }

  #judged(attempt: Omit<Attempt, 'accepted'>): Attempt {
    const { exchange, reading, ok, usedType } = attempt.outcome;
    if (isConnectionCode(exchange.failure?.code)) this.isGone = true;
    const isOfCallback = usedType === this.#refused.step.usedType;
    return { ...attempt, accepted: isOfCallback && (ok || reading?.code === successCode) };
  }

  /** Why it is refused of some users: of how many, whether of the same one again, and what their keys share. */
  async compareUsers(): Promise<Diagnosis | undefined> {
    const all = [this.#first, this.#second ?? []].flat();
    while (this.#affords({}, again, again, again)) all.push(await this.#attempt());
    const refused = all.find(({ accepted }) => !accepted);
    const { diagnosis } = refused?.outcome ?? {};
    if (refused === undefined || diagnosis === undefined) return undefined;
    const repeat = refused.key ? again : {};
    let isAcceptedAgain = false;
    while (!isAcceptedAgain && this.#affords(repeat))
      isAcceptedAgain = (await this.#attempt(repeat, refused)).accepted;
    return diagnoseUsers(diagnosis, this.#callback, all, isAcceptedAgain);
  }

  #difference({ experiment, accepted, control }: Difference<Experiment, Attempt>) {
    const { name, accepts, refuses, fix, calls = {} } = experiment;
    const { diagnosis, reading } = this.#refused.step;
    if (diagnosis === undefined) return undefined;
    const { stack } = diagnosis.evidence ?? {};
    return {
      code: reading?.problem?.kind ?? diagnosis.code,
      message: `The application accepts ${accepts}, and refuses ${refuses}.`,
      hint: fix,
      calls,
      confidence: 'certain' as const,
      evidence: {
        experiment: name,
        accepted_request: requestText(accepted.outcome.exchange.request),
        refused_request: requestText(control.outcome.exchange.request),
        ...(stack && { stack }),
      },
    };
  }
}

/** Whether two refusals are the same, but for the user's code and what is drawn for each response. */
function isSameResponse(one: Attempt, other: Attempt): boolean {
  const [left, right] = [one, other].map(({ ptnCd, outcome: { exchange, reading } }) => {
    const response = responseOf(exchange);
    const text = Buffer.from(response?.body ?? [])
      .toString('utf8')
      .slice(0, 65_536);
    const said = reading?.code === undefined ? text : `${reading.code} ${reading.message}`;
    const common = said.replaceAll(ptnCd, '').replace(/[0-9a-f]{6,}|\d+/gi, '#');
    return `${response?.status} ${common}`;
  });
  return left === right;
}

/** Where a refusal by HTTP status became one by the application. */
function changeOf(before: Attempt, after: Attempt): string | undefined {
  const [was = 0, is = 0] = [before, after].map(({ outcome }) => statusOf(outcome.exchange));
  if (was < 400 || is === 0 || is >= 400) return undefined;
  const { code } = after.outcome.reading ?? {};
  const now = code === undefined ? `HTTP ${is}` : `HTTP ${is} with code ${quoted(code, 40)}`;
  return `The response changes from HTTP ${was} to ${now}`;
}

/** The request as evidence: its path, its Content-type and cookie, its body. */
function requestText({ method, url, headers, body }: WireRequest): string {
  const shown = headers.filter(([name]) => /^(?:content-type|cookie)$/i.test(name));
  const lines = shown.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url.pathname}`, ...lines, '', Buffer.from(body).toString('utf8')].join('\n');
}
