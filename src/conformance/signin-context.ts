import { encodeUtf8 } from '../bytes.ts';
import { judgeExchange, toWireRequest } from '../client/call.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { answerText } from '../client/wire-text.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { Secret } from '../crypto/secret.ts';
import { readAuthenticateAnswer } from '../protocol/authenticate.ts';
import { readTokenAnswer } from '../protocol/token.ts';
import type { CheckContext } from './context.ts';
import { skip } from './expect.ts';
import { signUp } from './flows.ts';
import type {
  Attempt,
  Conclusion,
  ReceivedCall,
  Scenario,
  SharedAttempts,
  SigninRoom,
  SigninUser,
  SigninWorld,
} from './signin-world.ts';
import { testUserPrefix } from './test-users.ts';
import { CheckFailed } from './verdict.ts';

/** What one check of the sign-in has: users, and sign-ins of them under a scenario, recorded. */
export class SigninContext {
  readonly base: CheckContext;
  readonly world: SigninWorld;
  readonly #shared: SharedAttempts;
  #user: Promise<SigninUser> | undefined;

  constructor(base: CheckContext, world: SigninWorld, shared: SharedAttempts) {
    this.base = base;
    this.world = world;
    this.#shared = shared;
  }

  /** Every sign-in of the run that has ended; at least the right one. */
  async attempts(): Promise<readonly Attempt[]> {
    if (this.#shared.all.length === 0) await this.rightSignIn();
    return this.#shared.all;
  }

  /** The right sign-in that the checks look at together; made by the first of them that asks. */
  rightSignIn(): Promise<Attempt> {
    this.#shared.right ??= this.signIn('right');
    return this.#shared.right;
  }

  /** Has the application sign a user in, the check's own unless told, and looks on. Judges nothing. */
  async signIn(scenario: Scenario, given?: SigninUser): Promise<Attempt> {
    const { world } = this;
    const user = given ?? (await this.user());
    const otherPtnCd = scenario === 'token-other-user' ? await this.#otherPtnCd() : '';
    const room = await world.open({ scenario, user, otherPtnCd });
    this.#hide(room.ptnToken);
    let conclusion: Conclusion;
    try {
      conclusion = await this.#trigger(room, user);
    } finally {
      await room.close();
    }
    const { ptnToken } = room;
    const attempt = { scenario, user, ptnToken, calls: [...room.calls()], conclusion };
    this.#shared.all.push(attempt);
    for (const call of attempt.calls) await this.#keep(call, attempt);
    return attempt;
  }

  /**
   * The check's own user, whose key and passcode the application has; `superPasscode` where it can
   * be chosen, by whoever asks first. Skips where the application can't sign one up.
   */
  user(superPasscode?: string): Promise<SigninUser> {
    this.#user ??= this.#newUser(superPasscode ?? this.base.newPasscode());
    return this.#user;
  }

  async #newUser(superPasscode: string): Promise<SigninUser> {
    const { base, world } = this;
    if (world.users === 'given') return world.givenUser();
    this.#hide(superPasscode);
    if (world.users === 'signed-up') {
      return this.#signedUp(base.user, superPasscode);
    }
    const key = generatePerUserKey(base.randomBytes);
    this.#hide(key);
    return userOf(this.#inventCode(), key, superPasscode);
  }

  /** A second user of the check, signed up at the callback; undefined where that isn't done. */
  async anotherUser(): Promise<SigninUser | undefined> {
    const [, ptnCd] = this.base.users;
    if (ptnCd === undefined) return undefined;
    const superPasscode = this.base.newPasscode();
    this.#hide(superPasscode);
    return this.#signedUp(ptnCd, superPasscode);
  }

  /** Somebody else: known to the application where it signs users up, nobody otherwise. */
  async #otherPtnCd(): Promise<string> {
    return (await this.anotherUser())?.ptnCd ?? this.#inventCode();
  }

  #inventCode(): string {
    return testUserPrefix + generatePerUserKey(this.base.randomBytes, { length: 9, alphabet });
  }

  async #signedUp(ptnCd: string, superPasscode: string): Promise<SigninUser> {
    try {
      const key = await signUp(this.base, ptnCd, { superPasscode });
      return userOf(ptnCd, key, superPasscode);
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error;
      return skip(
        `The user who was to sign in could not be signed up at the callback: expected ${error.fault.expected}, got ${error.fault.observed}.`,
      );
    }
  }

  async #trigger(room: SigninRoom, user: SigninUser): Promise<Conclusion> {
    const { trigger, users } = this.world;
    if (trigger.kind === 'command') {
      return trigger.run(room, users === 'signed-up' ? undefined : user);
    }
    const body = encodeUtf8(JSON.stringify({ ptn_token: room.ptnToken }));
    return concludeFrom(await this.base.askToSignIn(toWireRequest(trigger.url, body)));
  }

  async #keep({ operation, exchange }: ReceivedCall, { scenario, user }: Attempt): Promise<void> {
    const read: Parameters<typeof judgeExchange<object>>[1] =
      operation === 'authenticate' ? readAuthenticateAnswer : readTokenAnswer;
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
    this.base.world.emit({ type: 'secret', value: Secret.text(value) });
  }
}

function userOf(ptnCd: string, key: string, superPasscode: string): SigninUser {
  return { ptnCd, key: Secret.key(key), superPasscode: Secret.text(superPasscode) };
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** What an answer of the application's own address says: 2xx signed in, 4xx and 5xx refused. */
function concludeFrom(exchange: Exchange): Conclusion {
  const status = statusOf(exchange);
  const { failure: diagnosis, answer } = exchange;
  const shown = answer === undefined ? '' : answerText(answer);
  if (status === undefined || answer === undefined) {
    const how = `no answer (${diagnosis?.code ?? 'unknown'})`;
    return { verdict: 'unclear', how, diagnosis, shown, exchange };
  }
  const how = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { verdict: 'signed-in', how, shown, exchange };
  const verdict = status >= 400 ? 'refused' : 'unclear';
  return { verdict, how, shown, exchange };
}
