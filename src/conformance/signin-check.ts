import { encodeUtf8 } from '../bytes.ts';
import { judgeExchange, toWireRequest } from '../client/call.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { answerText } from '../client/recording.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { readAuthenticateResponse } from '../protocol/authenticate.ts';
import { readTokenResponse } from '../protocol/token.ts';
import type { User } from '../protocol/user.ts';
import { type Check, CheckFailed, type CheckRun, type Definition } from './check.ts';
import type { CheckContext } from './context.ts';
import { skip } from './expect.ts';
import { testUserPrefix } from './test-data.ts';

/**
 * How the service behaves at one sign-in, as the end of a sentence after "when". The user must be
 * signed in under `right`, and under no other.
 */
export const scenarios = {
  right: 'the service accepts the sign-in',
  'token-refused': 'the token request is answered with code "E201"',
  'token-refused-with-result':
    'the token request is answered with code "0001", beside a whole result',
  'token-without-acs-token': 'the token answer has no acs_token',
  'token-expired': 'the acs_token is refused with code "E302", its expire_dt being over',
  'token-other-user': 'the token answer names another user than the one whose passcode comes back',
  'token-connection-cut': 'the connection is cut at the token request',
  'authenticate-refused': 'the authenticate request is answered with code "E301"',
  'authenticate-refused-with-result':
    'the authenticate request is answered with code "0001", beside a whole result',
  'authenticate-without-result': 'the authenticate answer has no result',
  'authenticate-without-ptn-sp': 'the authenticate answer has no ptn_sp',
  'authenticate-error-page':
    'the authenticate request is answered with a page in HTML, HTTP status 200',
  'authenticate-connection-cut': 'the connection is cut at the authenticate request',
  'passcode-other': 'ptn_sp decrypts to another passcode',
  'passcode-longer': 'ptn_sp decrypts to the stored passcode and one character more',
  'passcode-other-case':
    'ptn_sp decrypts to the stored passcode with its letters in the other case',
  'passcode-empty': 'ptn_sp decrypts to nothing',
  'passcode-undecryptable': 'ptn_sp is damaged, so that its padding or tag is wrong',
} as const;

export type Scenario = keyof typeof scenarios;

/** A user whose key and passcode the application has. */
export type SigninUser = Required<Pick<User, 'ptnCd' | 'key' | 'superPasscode'>>;

/** A request of the application to the emulated service. */
export interface ReceivedCall {
  /** Absent if the path resembles neither of the two. */
  readonly operation?: 'token' | 'authenticate';
  /** As received, without the query. */
  readonly path: string;
  readonly exchange: Exchange;
}

export interface Conclusion {
  /** `unclear`: cut short, or a response that says neither. */
  readonly verdict: 'signed-in' | 'refused' | 'unclear';
  /** "exit status 0", "HTTP 401". */
  readonly how: string;
  readonly diagnosis?: Diagnosis;
  /** What the application printed, or its response. */
  readonly shown: string;
  readonly exchange?: Exchange;
}

export interface SigninEmulation {
  readonly authUrl: string;
  readonly ptnToken: string;
  readonly calls: () => readonly ReceivedCall[];
  /** Aborted after far too many requests. */
  readonly overrun: AbortSignal;
  close(): Promise<void>;
}

export interface SigninOrder {
  readonly scenario: Scenario;
  readonly user: SigninUser;
  /** The user that the token answer names in `token-other-user`. */
  readonly otherPtnCd: string;
}

/** How a sign-in is started: by running a program, or by a request to the application. */
export type SigninTrigger =
  | {
      readonly kind: 'command';
      /** Runs it until it ends or times out, with the data of `user`, if given. */
      readonly run: (
        emulation: SigninEmulation,
        user: SigninUser | undefined,
      ) => Promise<Conclusion>;
    }
  | { readonly kind: 'url'; readonly url: URL };

/** What checks of the sign-in need beyond the environment of every run. */
export interface SigninEnvironment {
  readonly secretKey: Secret;
  readonly trigger: SigninTrigger;
  /** Signed up at the callback, invented and passed to the command, or given by the user. */
  readonly users: 'signed-up' | 'invented' | 'given';
  readonly givenUser: () => Promise<SigninUser>;
  readonly sideBySide: boolean;
  /** Emulates the service for one sign-in, when its turn comes. */
  readonly emulate: (order: SigninOrder) => Promise<SigninEmulation>;
}

export interface Attempt {
  readonly scenario: Scenario;
  readonly user: SigninUser;
  readonly ptnToken: string;
  readonly calls: readonly ReceivedCall[];
  readonly conclusion: Conclusion;
}

/** The sign-ins that the checks of a run share. */
interface SharedAttempts {
  /** The valid one that most checks inspect. */
  right?: Promise<Attempt>;
  readonly all: Attempt[];
}

/** What one check of the sign-in works with: its users, and recorded sign-ins under a scenario. */
export class SigninContext {
  readonly base: CheckContext;
  readonly environment: SigninEnvironment;
  readonly #shared: SharedAttempts;
  #user: Promise<SigninUser> | undefined;

  constructor(base: CheckContext, environment: SigninEnvironment, shared: SharedAttempts) {
    this.base = base;
    this.environment = environment;
    this.#shared = shared;
  }

  /** Every sign-in of the run that has ended; at least the right one. */
  async attempts(): Promise<readonly Attempt[]> {
    if (this.#shared.all.length === 0) await this.rightSignIn();
    return this.#shared.all;
  }

  /** The valid sign-in that the checks share. */
  rightSignIn(): Promise<Attempt> {
    this.#shared.right ??= this.signIn('right');
    return this.#shared.right;
  }

  /** Has the application sign in a user, by default the check's own. Judges nothing. */
  async signIn(scenario: Scenario, given?: SigninUser): Promise<Attempt> {
    const { environment } = this;
    const user = given ?? (await this.user());
    const otherPtnCd = scenario === 'token-other-user' ? await this.#otherPtnCd() : '';
    const emulation = await environment.emulate({ scenario, user, otherPtnCd });
    this.#hide(emulation.ptnToken);
    let conclusion: Conclusion;
    try {
      conclusion = await this.#trigger(emulation, user);
    } finally {
      await emulation.close();
    }
    const { ptnToken } = emulation;
    const attempt = { scenario, user, ptnToken, calls: [...emulation.calls()], conclusion };
    this.#shared.all.push(attempt);
    for (const call of attempt.calls) await this.#keep(call, attempt);
    return attempt;
  }

  /** The check's own user; `superPasscode` counts in the first call. Skips if the sign-up fails. */
  user(superPasscode?: string): Promise<SigninUser> {
    this.#user ??= this.#newUser(superPasscode ?? this.base.newPasscode());
    return this.#user;
  }

  async #newUser(superPasscode: string): Promise<SigninUser> {
    const { base, environment } = this;
    if (environment.users === 'given') return environment.givenUser();
    this.#hide(superPasscode);
    if (environment.users === 'signed-up') return this.#signedUp(base.user, superPasscode);
    const key = generatePerUserKey(base.randomBytes);
    this.#hide(key);
    return userOf(this.#inventCode(), key, superPasscode);
  }

  /** A second user of the check, signed up at the callback; undefined if users aren't. */
  async anotherUser(): Promise<SigninUser | undefined> {
    const [, ptnCd] = this.base.users;
    if (ptnCd === undefined) return undefined;
    const superPasscode = this.base.newPasscode();
    this.#hide(superPasscode);
    return this.#signedUp(ptnCd, superPasscode);
  }

  async #otherPtnCd(): Promise<string> {
    return (await this.anotherUser())?.ptnCd ?? this.#inventCode();
  }

  #inventCode(): string {
    return testUserPrefix + generatePerUserKey(this.base.randomBytes, { length: 9, alphabet });
  }

  async #signedUp(ptnCd: string, superPasscode: string): Promise<SigninUser> {
    try {
      const key = await this.base.signUp(ptnCd, { superPasscode });
      return userOf(ptnCd, key, superPasscode);
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error;
      return skip(
        `The user who was to sign in could not be signed up at the callback: expected ${error.fault.expected}, got ${error.fault.observed}.`,
      );
    }
  }

  async #trigger(emulation: SigninEmulation, user: SigninUser): Promise<Conclusion> {
    const { trigger, users } = this.environment;
    if (trigger.kind === 'command') {
      return trigger.run(emulation, users === 'signed-up' ? undefined : user);
    }
    const body = encodeUtf8(JSON.stringify({ ptn_token: emulation.ptnToken }));
    return concludeFrom(await this.base.askToSignIn(toWireRequest(trigger.url, body)));
  }

  async #keep({ operation, exchange }: ReceivedCall, { scenario, user }: Attempt): Promise<void> {
    const read: Parameters<typeof judgeExchange<object>>[1] =
      operation === 'authenticate' ? readAuthenticateResponse : readTokenResponse;
    const isRight = scenario === 'right';
    this.base.keepSignIn({
      operation: operation ?? 'token',
      intent: isRight ? 'right' : 'wrong',
      ...(!isRight && { malformed: scenario }),
      isReceived: true,
      ptnCd: user.ptnCd,
      exchange,
      outcome: await judgeExchange(exchange, read),
    });
  }

  #hide(value: string): void {
    this.base.environment.emit({ type: 'secret', value: Secret.text(value) });
  }
}

function userOf(ptnCd: string, key: string, superPasscode: string): SigninUser {
  return { ptnCd, key: Secret.key(key), superPasscode: Secret.text(superPasscode) };
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The verdict of a response: 2xx signed in, 4xx and 5xx refused. */
function concludeFrom(exchange: Exchange): Conclusion {
  const status = statusOf(exchange);
  const { failure: diagnosis, answer } = exchange;
  const shown = answer === undefined ? '' : answerText(answer);
  if (status === undefined || answer === undefined) {
    const how = `no response (${diagnosis?.code ?? 'unknown'})`;
    return { verdict: 'unclear', how, diagnosis, shown, exchange };
  }
  const how = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { verdict: 'signed-in', how, shown, exchange };
  const verdict = status >= 400 ? 'refused' : 'unclear';
  return { verdict, how, shown, exchange };
}

/** A requirement on the application's sign-in (section 4.2). */
export interface SigninCheck
  extends Omit<Check, 'users' | 'fewerWillDo' | 'isIndependent' | 'run'> {
  readonly users?: number;
  readonly run: CheckRun<SigninContext>;
}

export type SigninCheckDefinition = Definition<SigninCheck>;

/** Binds the checks to one run, in which they share sign-ins. */
export function bindSigninChecks(
  checks: readonly SigninCheck[],
  environment: SigninEnvironment,
): readonly Check[] {
  const shared: SharedAttempts = { all: [] };
  const signsUp = environment.users === 'signed-up';
  return checks.map((check) => ({
    ...check,
    users: signsUp ? (check.users ?? 1) : 0,
    fewerWillDo: true,
    isIndependent: !signsUp && environment.sideBySide,
    run: (context) => check.run(new SigninContext(context, environment, shared)),
  }));
}
