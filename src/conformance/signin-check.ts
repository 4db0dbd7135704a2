import { encodeUtf8 } from '../bytes.ts';
import { judgeExchange, toWireRequest } from '../client/call.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { responseText } from '../client/recording.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { SigninBehaviour } from '../emulator/faults/points.ts';
import type { Diagnosis } from '../errors.ts';
import { operations } from '../protocol/operations.ts';
import type { User } from '../protocol/user.ts';
import { type Check, CheckFailed, type CheckRun, type Definition } from './check.ts';
import type { CheckContext } from './context.ts';
import { untested } from './expect.ts';
import { passcodeFor, rightScenarios, type Scenario, scenarioNamed } from './signin-scenarios.ts';
import { testUserPrefix } from './test-data.ts';

/** A user whose key and passcode the application has. */
export type SigninUser = Required<Pick<User, 'ptnCd' | 'key' | 'superPasscode'>>;

export interface ReceivedCall {
  /** Absent if the path resembles neither of the two. */
  readonly operation?: 'token' | 'authenticate';
  /** As received, without the query. */
  readonly path: string;
  /** The path of {auth_url}. */
  readonly basePath: string;
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
  /** Requests, as text, where none must arrive: where a redirect leads, or in plain text instead of TLS. */
  readonly strayRequests: () => readonly string[];
  /** Aborted after far too many requests. */
  readonly overrun: AbortSignal;
  /** How much longer than usual the sign-in may take. */
  readonly patienceMs: number;
  /** Whether the application still waited when a silent service cut the connection. */
  readonly outlasted: () => boolean;
  close(): Promise<void>;
}

export interface SigninOrder {
  readonly scenario: string;
  readonly user: SigninUser;
  readonly behaviour: SigninBehaviour;
}

/** What checks of the sign-in need beyond the environment of every run. */
export interface SigninEnvironment {
  readonly secretKey: Secret;
  /** How a sign-in is started: by running a program, or by a request to the application. */
  readonly trigger:
    | {
        readonly kind: 'command';
        /** Runs it until it ends or times out, with the data of `user`, if given. */
        readonly run: (emulation: SigninEmulation, user?: SigninUser) => Promise<Conclusion>;
      }
    | { readonly kind: 'url'; readonly url: URL };
  /** Signed up at the callback, invented and passed to the command, or given by the user. */
  readonly users: 'signed-up' | 'invented' | 'given';
  readonly givenUser: () => Promise<SigninUser>;
  readonly sideBySide: boolean;
  /** Whether a text contains a secret, in any encoding that is redacted. */
  readonly contains: (text: string, secret: Secret) => boolean;
  /** Emulates the service for one sign-in, when its turn comes. */
  readonly emulate: (order: SigninOrder) => Promise<SigninEmulation>;
}

export interface Attempt {
  readonly scenario: Scenario;
  readonly user: SigninUser;
  readonly ptnToken: string;
  readonly calls: readonly ReceivedCall[];
  readonly strayRequests: readonly string[];
  readonly outlasted: boolean;
  readonly conclusion: Conclusion;
}

interface SigninOptions {
  readonly user?: SigninUser;
  /** In the place of that of the scenario. */
  readonly behaviour?: SigninBehaviour;
  /** No check judges it. */
  readonly isExperiment?: boolean;
}

/** The sign-ins that the checks of a run share. */
interface SharedAttempts {
  /** The valid one that most checks inspect. */
  right?: Promise<Attempt>;
  /** The one under an unusual acs_token, which two checks judge. */
  unusual?: Promise<Attempt>;
  readonly all: Attempt[];
  /** Set once sign-ins at the same time have been mixed up: from then on they run one by one. */
  last?: Promise<unknown> | undefined;
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

  rightSignIn(): Promise<Attempt> {
    this.#shared.right ??= this.signIn('right');
    return this.#shared.right;
  }

  /** Of invented users the one of {@link rightSignIn}, else the check's own. */
  async firstUser(): Promise<SigninUser> {
    const isInvented = this.environment.users === 'invented';
    return isInvented ? (await this.rightSignIn()).user : this.user();
  }

  /** The sign-in under an unusual acs_token that the checks share. */
  async unusualSignIn(): Promise<Attempt> {
    const user = await this.firstUser();
    this.#shared.unusual ??= this.signIn('acs-token-unusual', { user });
    return this.#shared.unusual;
  }

  /** A valid sign-in of the user of {@link rightSignIn} after the first. */
  async rightSignInAgain(): Promise<Attempt> {
    const first = await this.rightSignIn();
    const { user } = first;
    const again = this.#rightSignIns().find(
      (each) => each !== first && each.user.ptnCd === user.ptnCd,
    );
    return again ?? this.signIn('right', { user });
  }

  /** A valid sign-in of another invented user than that of {@link rightSignIn}. */
  async otherSignIn(): Promise<Attempt> {
    const { user } = await this.rightSignIn();
    const found = this.#rightSignIns().find((each) => each.user.ptnCd !== user.ptnCd);
    return found ?? this.signIn('right', { user: await this.#newUser() });
  }

  #rightSignIns(): readonly Attempt[] {
    return this.#shared.all.filter(({ scenario }) => scenario.name === 'right');
  }

  /** Has the application sign in a user, by default a new one or the check's own. Judges nothing. */
  async signIn(name: string, given: SigninOptions = {}): Promise<Attempt> {
    const shared = this.#shared;
    const scenario = scenarioNamed(name);
    if (shared.last === undefined) return this.#signIn(scenario, given);
    const attempt = shared.last.then(() => this.#signIn(scenario, given));
    shared.last = attempt.catch(() => {});
    return attempt;
  }

  /** From now on, sign-ins of this run are started one by one. */
  startOneByOne(): void {
    this.#shared.last ??= Promise.resolve();
  }

  async #signIn(scenario: Scenario, given: SigninOptions): Promise<Attempt> {
    const { name } = scenario;
    const user = given.user ?? (await this.#userOf(name));
    let { behaviour = scenario.behaviour ?? {} } = given;
    if (name === 'ptn-cd-other') {
      const other = (await this.anotherUser())?.ptnCd ?? this.#inventCode();
      behaviour = { ptnCd: () => other };
    }
    const emulation = await this.environment.emulate({ scenario: name, user, behaviour });
    const { ptnToken } = emulation;
    this.#hide(ptnToken);
    const conclusion = await this.#trigger(emulation, user).finally(() => emulation.close());
    const attempt: Attempt = {
      scenario,
      user,
      ptnToken,
      calls: [...emulation.calls()],
      strayRequests: emulation.strayRequests(),
      outlasted: emulation.outlasted(),
      conclusion,
    };
    if (!given.isExperiment) this.#shared.all.push(attempt);
    for (const call of attempt.calls) await this.#keep(call, attempt);
    return attempt;
  }

  /**
   * Invented users sign in once each, so that one who is locked after a failure hides nothing; those
   * who are signed up are the check's own.
   */
  #userOf(scenario: string): Promise<SigninUser> {
    const isInvented = this.environment.users === 'invented';
    const passcode = passcodeFor(scenario, this.#newPasscode(), isInvented);
    if (isInvented) return this.#newUser(undefined, passcode);
    const [, second] = this.base.users;
    const signsUp = this.environment.users === 'signed-up' && second !== undefined;
    return signsUp && passcode !== undefined ? this.#newUser(second, passcode) : this.user();
  }

  /** The check's own user. Skips if the sign-up fails. */
  user(): Promise<SigninUser> {
    const { users, givenUser } = this.environment;
    this.#user ??= users === 'given' ? givenUser() : this.#newUser();
    return this.#user;
  }

  /** Signs the check's own user up once more, with another key and passcode; undefined if that can't be. */
  async registeredAgain({ ptnCd }: SigninUser): Promise<SigninUser | undefined> {
    return this.environment.users === 'given' ? undefined : this.#newUser(ptnCd);
  }

  /** A second user of the check; undefined if only one is given. */
  async anotherUser(): Promise<SigninUser | undefined> {
    const { users } = this.environment;
    const [, ptnCd] = this.base.users;
    const isThere = users === 'invented' || (users === 'signed-up' && ptnCd !== undefined);
    return isThere ? this.#newUser(ptnCd) : undefined;
  }

  /** A user whose data the command is given, or who is signed up. */
  async #newUser(ptnCd?: string, passcode = this.#newPasscode()): Promise<SigninUser> {
    const { base } = this;
    this.#hide(passcode);
    if (this.environment.users !== 'invented') return this.#signedUp(ptnCd ?? base.user, passcode);
    const key = generatePerUserKey(base.randomBytes);
    this.#hide(key);
    return userOf(ptnCd ?? this.#inventCode(), key, passcode);
  }

  /** Has letters in both cases, and one whose case can be folded from outside of ASCII. */
  #newPasscode(): string {
    return `Ks${this.base.newPasscode()}`;
  }

  #inventCode(): string {
    return testUserPrefix + generatePerUserKey(this.base.randomBytes, 9, alphabet);
  }

  async #signedUp(ptnCd: string, superPasscode: string): Promise<SigninUser> {
    try {
      const key = await this.base.signUp(ptnCd, { superPasscode });
      return userOf(ptnCd, key, superPasscode);
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error;
      return untested(
        `The user for the sign-in could not be signed up at the callback: expected ${error.fault.expected}, got ${error.fault.observed}.`,
      );
    }
  }

  async #trigger(emulation: SigninEmulation, user: SigninUser): Promise<Conclusion> {
    const { trigger, users } = this.environment;
    if (trigger.kind === 'command')
      return trigger.run(emulation, users === 'signed-up' ? undefined : user);
    const body = encodeUtf8(JSON.stringify({ ptn_token: emulation.ptnToken }));
    const { patienceMs } = emulation;
    const request = { ...toWireRequest(trigger.url, body), patienceMs };
    const exchange = await this.base.marked.send(request);
    const { failure } = exchange;
    const outcome = { exchange, ok: failure === undefined, diagnosis: failure, notes: [] };
    this.base.keepSignIn({ operation: 'sign-in', intent: 'right', exchange, outcome });
    return concludeFrom(exchange);
  }

  async #keep({ operation, exchange }: ReceivedCall, { scenario, user }: Attempt): Promise<void> {
    const { name } = scenario;
    const call = operation === 'authenticate' ? operation : 'token';
    const read: Parameters<typeof judgeExchange<object>>[1] = operations[call].readResponse;
    const isRight = rightScenarios.has(name);
    this.base.keepSignIn({
      operation: operation ?? 'token',
      intent: isRight ? 'right' : 'wrong',
      ...(!isRight && { malformed: name }),
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

/** The verdict of a response: 2xx signed in, 4xx and 5xx refused. */
function concludeFrom(exchange: Exchange): Conclusion {
  const status = statusOf(exchange);
  const { failure: diagnosis, response } = exchange;
  if (status === undefined || response === undefined) {
    const how = `no response (${diagnosis?.code ?? 'unknown'})`;
    return { verdict: 'unclear', how, diagnosis, shown: '', exchange };
  }
  const isSuccess = status >= 200 && status < 300;
  const verdict = isSuccess ? 'signed-in' : status >= 400 ? 'refused' : 'unclear';
  return { verdict, how: `HTTP ${status}`, shown: responseText(response), exchange };
}

function userOf(ptnCd: string, key: string, superPasscode: string): SigninUser {
  return { ptnCd, key: Secret.key(key), superPasscode: Secret.text(superPasscode) };
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A requirement on the application's sign-in (section 4.2). */
export interface SigninCheck
  extends Omit<Check, 'users' | 'fewerWillDo' | 'isIndependent' | 'run'> {
  readonly users?: number;
  /** Whether its sign-ins keep the application waiting: a server with one thread responds to nothing else meanwhile. */
  readonly holdsUp?: boolean;
  readonly run: CheckRun<SigninContext>;
  /** Judges one call by itself; returns if nothing is wrong with it. */
  readonly reviewCall?: (call: ReceivedCall, secretKey: Secret) => void;
}

export type SigninCheckDefinition = Definition<SigninCheck>;

/** Binds the checks to one run, in which they share sign-ins. */
export function bindSigninChecks(
  checks: readonly SigninCheck[],
  environment: SigninEnvironment,
): readonly Check[] {
  const shared: SharedAttempts = { all: [] };
  const signsUp = environment.users === 'signed-up';
  const isServer = environment.trigger.kind === 'url';
  return checks.map(({ holdsUp = false, ...check }) => ({
    ...check,
    stage: holdsUp && isServer ? 'aftermath' : check.stage,
    users: signsUp ? (check.users ?? 1) : 0,
    fewerWillDo: true,
    isIndependent: !signsUp && environment.sideBySide,
    run: (context) => check.run(new SigninContext(context, environment, shared)),
  }));
}
