import { judgeExchange } from '../client/call.ts';
import { statusOf } from '../client/exchange.ts';
import { checkPasscode, type UserSecrets } from '../client/passcode.ts';
import type { TokenOutcome } from '../client/signin.ts';
import { respondedAt } from '../conformance/checks/service/expire-dt.ts';
import { isAccepted } from '../conformance/expect.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { readAuthenticateResponse } from '../protocol/authenticate.ts';
import { parseExpireDt, toInstant } from '../protocol/expiry.ts';
import { readTokenResponse } from '../protocol/token.ts';
import { type Coverage, pairName } from './coverage.ts';
import {
  byUser,
  type Execution,
  type Send,
  type SentStep,
  sendRounds,
  sendStep,
  type Violation,
} from './execution.ts';
import { KnownUsers } from './model/rounds.ts';
import {
  expectSignIn,
  nextSignIns,
  type SignInEvent,
  type SignInRequest,
} from './model/service-expectation.ts';
import {
  nameOfSignIn,
  newUser,
  type SignInState,
  type TokenPolicy,
} from './model/service-state.ts';
import type { Sequence, Step } from './sequence.ts';
import {
  type BuiltSignIn,
  findServiceOperation,
  type SeenAcsToken,
  type SeenToken,
  type ServiceOperation,
  type SignInScene,
} from './service-operations.ts';
import { faultOfSignIn, unexpectedSignIn } from './service-violation.ts';

/** The service, and the parts of requests to it. */
export interface ServiceEndpoint
  extends Pick<SignInScene, 'authUrl' | 'clientId' | 'secretKey' | 'randomBytes'> {
  readonly send: Send;
  readonly cipher: Cipher;
  readonly now: () => number;
  /** The codes of at most that many users who may sign in; undefined for one whose code is not known. */
  readonly takeUsers: (count: number) => readonly (string | undefined)[];
  /** A new `ptn_token` of a user. */
  readonly issuePtnToken: (ptnCd: string | undefined) => Promise<string>;
  /** A `ptn_token` of another client, if one is known. */
  readonly foreignPtnToken: (ptnCd: string | undefined) => string | undefined;
  readonly lookUpUser: (ptnCd: string) => Promise<UserSecrets>;
  /** Of `expire_dt`; without it no expiry is awaited. */
  readonly timeZone?: string | undefined;
  /** How long to wait for an `acs_token` to expire. */
  readonly longestWaitMs: number;
  readonly pause: (durationMs: number) => Promise<void>;
  /** Learns every token, so that it can be hidden. */
  readonly onToken: (token: string) => void;
  /** Called before each sequence. */
  readonly prepare?: (() => Promise<void>) | undefined;
}

/** A request of a sign-in as it went. */
export interface SentSignIn extends SentStep {
  readonly operation: ServiceOperation;
  readonly built: BuiltSignIn;
  /** The `acs_token` that it gave. */
  readonly acsToken?: string;
  /** By the clock here; milliseconds. */
  readonly sentAt: number;
}

type Prepared = Omit<SentSignIn, 'outcome' | 'acsToken' | 'sentAt'>;

const model = { expect: expectSignIn, nextStates: nextSignIns };

/** expire_dt and the Date header both drop parts of a second. */
const marginMs = 1500;

/** Offsets of time zones are multiples of it: what is left of a lifetime is the same in all of them. */
const quarterHourMs = 900_000;

/** Sends a sequence with new tokens, and compares each response with the model. */
export async function executeSignIns(
  sequence: Sequence,
  endpoint: ServiceEndpoint,
  policy: TokenPolicy,
  coverage?: Coverage,
): Promise<Execution> {
  await endpoint.prepare?.();
  return new SigningIn(sequence, endpoint, policy, coverage).run();
}

class SigningIn {
  readonly #sequence: Sequence;
  readonly #endpoint: ServiceEndpoint;
  readonly #coverage: Coverage | undefined;
  readonly #codes: (string | undefined)[];
  readonly #users: KnownUsers<SignInState, SignInRequest, SignInEvent>;
  readonly #ptnTokens = new Map<number, SeenToken[]>();
  readonly #acsTokens = new Map<number, SeenAcsToken[]>();
  readonly #usedTokens = new Map<number, SeenAcsToken>();
  #tokens = 0;

  constructor(
    sequence: Sequence,
    endpoint: ServiceEndpoint,
    policy: TokenPolicy,
    coverage: Coverage | undefined,
  ) {
    this.#sequence = sequence;
    this.#endpoint = endpoint;
    this.#coverage = coverage;
    this.#codes = [...endpoint.takeUsers(sequence.users.length)];
    this.#users = new KnownUsers(model, newUser(policy));
  }

  run(): Promise<Execution> {
    return sendRounds(this.#sequence, {
      prepare: (steps, round) => this.#prepare(steps, round),
      send: (prepared) => this.#send(prepared),
      judge: (sent) => this.#judge(sent),
    });
  }

  async #prepare(steps: readonly Step[], round: number): Promise<readonly Prepared[]> {
    const built: (readonly [Step, ServiceOperation, BuiltSignIn])[] = [];
    for (const step of steps) {
      const operation = findServiceOperation(step.operation);
      if (operation === undefined || step.user >= this.#codes.length) continue;
      const request = await operation.build(this.#sceneOf(step.user), step);
      if (request !== undefined) built.push([step, operation, request]);
    }
    // Only now: one of them may have waited until tokens expired.
    return built.map(([step, operation, request]) => {
      const asked = this.#requestOf({ operation, built: request });
      const [state] = this.#users.statesOf(step.user);
      if (state !== undefined) {
        this.#coverage?.count(pairName(operation.id, nameOfSignIn(state), steps.length > 1));
      }
      const expected = this.#users.expectOf(step.user, asked);
      const ptnCd = this.#codes[step.user] ?? '';
      return { step, operation, round, ptnCd, built: request, expected };
    });
  }

  /** What the model has to know, by the clock: before the request, or after its response. */
  #requestOf({ operation, built }: Pick<SentSignIn, 'operation' | 'built'>, sentAt?: number) {
    const { token, form } = built;
    const request = { operation: operation.id, kind: operation.kind, form, token: token?.id };
    return { ...request, age: this.#ageOf(token, sentAt) };
  }

  #ageOf(token: BuiltSignIn['token'], sentAt?: number): SignInRequest['age'] {
    if (token === undefined || !('freshUntil' in token)) return this.#agedPtnToken(token);
    const now = this.#endpoint.now();
    const { expiredFrom = Number.POSITIVE_INFINITY, freshUntil } = token;
    if ((sentAt ?? now) >= expiredFrom) return 'expired';
    return now < freshUntil ? 'fresh' : 'unsure';
  }

  /** How long a ptn_token lives is not known: a wait may have been too long for it. */
  #agedPtnToken(token: SeenToken | undefined): SignInRequest['age'] {
    return token !== undefined && token.id < this.#firstSinceWait ? 'unsure' : 'fresh';
  }

  #firstSinceWait = 0;

  #sceneOf(user: number): SignInScene {
    const ptnCd = this.#codes[user];
    const { issuePtnToken, foreignPtnToken } = this.#endpoint;
    return {
      ...this.#endpoint,
      ptnTokens: this.#ptnTokens.get(user) ?? [],
      acsTokens: this.#acsTokens.get(user) ?? [],
      usedToken: this.#usedTokens.get(user),
      newPtnToken: async () => this.#seen(await issuePtnToken(ptnCd)),
      foreignPtnToken: () => foreignPtnToken(ptnCd),
      awaitExpiry: (token) => this.#awaitExpiry(token),
    };
  }

  #seen(text: string): SeenToken {
    this.#endpoint.onToken(text);
    this.#tokens += 1;
    return { id: this.#tokens, text };
  }

  async #awaitExpiry({ expiredFrom }: SeenAcsToken): Promise<boolean> {
    const { now, pause, longestWaitMs } = this.#endpoint;
    if (expiredFrom === undefined) return false;
    const wait = expiredFrom - now();
    if (wait > longestWaitMs) return false;
    if (wait > 0) {
      await pause(wait);
      this.#firstSinceWait = this.#tokens + 1;
    }
    return true;
  }

  async #send(prepared: Prepared): Promise<SentSignIn> {
    const { built, operation } = prepared;
    const sentAt = this.#endpoint.now();
    const exchange = await sendStep(this.#endpoint.send, built.request, prepared);
    if (operation.kind === 'authenticate') {
      return {
        ...prepared,
        sentAt,
        outcome: await judgeExchange(exchange, readAuthenticateResponse),
      };
    }
    const outcome: TokenOutcome = await judgeExchange(exchange, readTokenResponse);
    const acsToken = outcome.reading?.seen.acsToken;
    if (acsToken) this.#endpoint.onToken(acsToken);
    return { ...prepared, sentAt, outcome, ...(acsToken && { acsToken }) };
  }

  async #judge(sent: readonly SentSignIn[]): Promise<Violation | undefined> {
    const events: SignInEvent[] = [];
    let fault: Violation | undefined;
    for (const step of sent) {
      const verdict = isAccepted(step.outcome) ? 'accepted' : 'refused';
      if (verdict === 'accepted') fault ??= await this.#faultOf(step);
      const request = this.#requestOf(step, step.sentAt);
      const acsToken = verdict === 'accepted' ? this.#keepTokens(step) : undefined;
      const status = statusOf(step.outcome.exchange);
      const isDecided = status !== undefined && status < 500;
      const event = { request, verdict, isDecided, ...(acsToken && { acsToken: acsToken.id }) };
      events.push(event as SignInEvent);
    }
    const wrong = this.#users.judge(byUser(sent, events));
    return wrong === undefined
      ? fault
      : unexpectedSignIn(sent.filter(({ step }) => step.user === wrong));
  }

  /** What the accepted request shows of tokens; the `acs_token` that it gave. */
  #keepTokens({ step, operation, built, acsToken, outcome }: SentSignIn): SeenToken | undefined {
    const { user } = step;
    if (operation.kind === 'authenticate') {
      if (built.token !== undefined && 'freshUntil' in built.token) {
        this.#usedTokens.set(user, built.token);
      }
      return undefined;
    }
    const { token } = built;
    const exchanged = this.#ptnTokens.get(user) ?? [];
    if (token !== undefined) {
      this.#ptnTokens.set(user, [...exchanged.filter(({ id }) => id !== token.id), token]);
    }
    if (acsToken === undefined) return undefined;
    const issued = this.#acsTokens.get(user) ?? [];
    const known = issued.find(({ text }) => text === acsToken);
    const { id } = known ?? this.#seen(acsToken);
    const seen = { id, text: acsToken, ...this.#lifeOf(outcome as TokenOutcome) };
    this.#acsTokens.set(user, [...issued.filter((each) => each !== known), seen]);
    return seen;
  }

  #lifeOf(outcome: TokenOutcome): Omit<SeenAcsToken, keyof SeenToken> {
    const { timeZone, now } = this.#endpoint;
    const expireDt = parseExpireDt(outcome.reading?.seen.expireDt ?? '');
    if (expireDt === undefined) return { freshUntil: Number.NEGATIVE_INFINITY };
    const lifetime = toInstant(expireDt, timeZone ?? 'UTC').getTime() - respondedAt(outcome);
    if (timeZone !== undefined && lifetime > -marginMs) {
      const expiry = now() + lifetime;
      return { freshUntil: expiry - marginMs, expiredFrom: expiry + marginMs };
    }
    const least = ((lifetime % quarterHourMs) + quarterHourMs) % quarterHourMs;
    return { freshUntil: now() + least - marginMs };
  }

  async #faultOf(step: SentSignIn): Promise<Violation | undefined> {
    if (step.built.form !== 'valid') return undefined;
    const { user } = step.step;
    const { acsToken } = step;
    const others = [...this.#acsTokens].filter(([other]) => other !== user);
    const isOfOther = others.some(([, tokens]) => tokens.some(({ text }) => text === acsToken));
    const named = (step.outcome as TokenOutcome).reading?.seen.ptnCd;
    if (step.operation.kind === 'token') this.#codes[user] ??= named;
    const ptnCd = this.#codes[user] ?? '';
    return faultOfSignIn(step, { ptnCd, isOfOther, passcode: await this.#passcodeOf(step) });
  }

  async #passcodeOf({ outcome, step, operation }: SentSignIn) {
    const ptnSp = (outcome.reading?.seen as { ptnSp?: string } | undefined)?.ptnSp;
    const ptnCd = this.#codes[step.user];
    if (operation.kind === 'token' || !ptnSp || ptnCd === undefined) return undefined;
    const { lookUpUser, cipher } = this.#endpoint;
    return (await checkPasscode(ptnSp, await lookUpUser(ptnCd), cipher)).diagnosis;
  }
}
