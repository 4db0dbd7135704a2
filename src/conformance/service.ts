import type { CallOutcome } from '../client/call.ts';
import type { WireRequest } from '../client/exchange.ts';
import type { UserSecrets } from '../client/passcode.ts';
import { authenticateRequest, type TokenOutcome, tokenRequest } from '../client/signin.ts';
import { Secret } from '../crypto/secret.ts';
import { type AuthenticateResult, readAuthenticateResponse } from '../protocol/authenticate.ts';
import { readTokenResponse } from '../protocol/token.ts';
import type { Check, CheckDefinition, CheckRun, Definition } from './check.ts';
import type { CheckContext, MalformedOutcome } from './context.ts';
import { skip } from './expect.ts';
import { type MalformedSignInName, malformSignIn } from './malformed-sign-in.ts';
import { type Advice, expectServiceRefusal } from './service-refusals.ts';

/** What one check of the service sends with: the two calls of a sign-in, recorded. */
export class ServiceContext {
  readonly base: CheckContext;
  readonly service: ServiceEnvironment;
  readonly signIn: SharedSignIn;

  constructor(base: CheckContext, service: ServiceEnvironment, signIn: SharedSignIn) {
    this.base = base;
    this.service = service;
    this.signIn = signIn;
  }

  async ptnToken(): Promise<string> {
    const ptnToken = await this.service.nextPtnToken();
    this.#hide(ptnToken);
    return ptnToken;
  }

  /** One of another client, if known. */
  foreignPtnToken(): string | undefined {
    const ptnToken = this.service.foreignPtnToken?.();
    this.#hide(ptnToken);
    return ptnToken;
  }

  /** Exchanges a `ptn_token` for an access token; judges nothing. */
  async requestToken(ptnToken: string): Promise<TokenOutcome> {
    const request = this.tokenRequest(ptnToken);
    const seen = { operation: 'token', intent: 'right' } as const;
    const outcome = await this.base.send(request, readTokenResponse, seen);
    this.#hide(outcome.reading?.seen.acsToken);
    return outcome;
  }

  /** Authenticates with an access token; judges nothing. */
  authenticate(acsToken: string): Promise<CallOutcome<AuthenticateResult>> {
    const seen = { operation: 'authenticate', intent: 'right' } as const;
    return this.base.send(this.authenticateRequest(acsToken), readAuthenticateResponse, seen);
  }

  async sendMalformed(name: MalformedSignInName, right: WireRequest): Promise<MalformedOutcome> {
    const malformed = malformSignIn(name, right, this.base.randomBytes);
    const { operation, request, about } = malformed;
    const seen = { operation, intent: 'wrong', malformed: name } as const;
    const read: Parameters<typeof this.base.send<object>>[1] =
      operation === 'token' ? readTokenResponse : readAuthenticateResponse;
    const outcome: CallOutcome<{ acsToken?: string }> = await this.base.send(request, read, seen);
    this.#hide(outcome.reading?.seen.acsToken); // a token that should not have been issued
    return { outcome, about };
  }

  /** Sends one malformed request, which must be refused with a response. */
  async expectRefused(
    name: MalformedSignInName,
    right: WireRequest,
    advice: Advice,
  ): Promise<void> {
    const { outcome, about } = await this.sendMalformed(name, right);
    expectServiceRefusal(outcome, about, advice);
  }

  /** A valid token request, to be sent or mutated. */
  tokenRequest(ptnToken: string): WireRequest {
    return tokenRequest({ ...this.#sender(), ptnToken: Secret.text(ptnToken) });
  }

  /** A valid authenticate request, to be sent or mutated. */
  authenticateRequest(acsToken: string): WireRequest {
    return authenticateRequest({ ...this.#sender(), acsToken: Secret.text(acsToken) });
  }

  #sender() {
    const { authUrl, secretKey } = this.service;
    return { authUrl, clientId: this.base.environment.clientId, secretKey };
  }

  /** The token response that the checks share. */
  tokenOutcome(): TokenOutcome {
    return this.signIn.token ?? skip('No token was requested before.');
  }

  /** The authenticate response that the checks share. */
  authenticateOutcome(): CallOutcome<AuthenticateResult> {
    return this.signIn.authenticate ?? skip('No user was authenticated before.');
  }

  #hide(value: string | undefined): void {
    if (value) this.base.environment.emit({ type: 'secret', value: Secret.text(value) });
  }
}

/** The access token of a response, which may be wrong elsewhere; skips without a usable one. */
export function acsTokenIn({ reading }: TokenOutcome): string {
  const { problem, seen } = reading ?? {};
  const isOfToken =
    problem !== undefined && 'field' in problem && problem.field === 'result.acs_token';
  const acsToken = isOfToken ? undefined : seen?.acsToken;
  return acsToken || skip('The response contained no usable acs_token.');
}

/** A requirement on the service at a sign-in (section 4.2). */
export interface ServiceCheck extends Omit<Check, 'users' | 'fewerWillDo' | 'run'> {
  readonly run: CheckRun<ServiceContext>;
}

export type ServiceCheckDefinition = Definition<ServiceCheck>;

/** A check that reviews exchanges, as one of those with the service. */
export function reviewed(id: string, check: CheckDefinition): ServiceCheckDefinition {
  return { ...check, id, needs: ['service/issues-token'], run: ({ base }) => check.run(base) };
}

/** Binds the checks to one run, in which they share a sign-in: most need a single `ptn_token`. */
export function bindServiceChecks(
  checks: readonly ServiceCheck[],
  environment: ServiceEnvironment,
): readonly Check[] {
  const signIn = {};
  return checks.map((check) => ({
    ...check,
    users: 0,
    run: (context) => check.run(new ServiceContext(context, environment, signIn)),
  }));
}

/** What checks of the service need beyond the environment of every run. */
export interface ServiceEnvironment {
  readonly authUrl: string;
  readonly secretKey: Secret;
  /** A valid `ptn_token`, fresh if possible. */
  readonly nextPtnToken: () => Promise<string>;
  /** A `ptn_token` of another client, valid there, if known. */
  readonly foreignPtnToken?: () => string | undefined;
  /** The user of the tokens, if known. */
  readonly ptnCd?: string;
  readonly lookUpUser: (ptnCd: string) => Promise<UserSecrets>;
  /** Whether a text contains a secret, in any encoding that is redacted. */
  readonly contains: (text: string, secret: Secret) => boolean;
  /** Of `expire_dt`, if known. */
  readonly timeZone?: string;
  /** How long to wait for an `acs_token` to expire. */
  readonly longestWaitMs: number;
  readonly pause: (durationMs: number) => Promise<void>;
}

/** The sign-in that the checks of a run share, as far as it came. */
interface SharedSignIn {
  token?: TokenOutcome;
  authenticate?: CallOutcome<AuthenticateResult>;
}
