import type { CallOutcome } from '../client/call.ts';
import type { WireRequest } from '../client/exchange.ts';
import { authenticateRequest, type TokenOutcome, tokenRequest } from '../client/signin.ts';
import { Secret } from '../crypto/secret.ts';
import { type AuthenticateResult, readAuthenticateAnswer } from '../protocol/authenticate.ts';
import { readTokenAnswer } from '../protocol/token.ts';
import type { CheckContext } from './context.ts';
import { skip } from './expect.ts';
import type { MalformedSignIn } from './malformed-sign-in.ts';
import type { ServiceWorld, SharedSignIn } from './service-world.ts';

/** What one check of the service sends with: the two calls of a sign-in, recorded. */
export class ServiceContext {
  readonly base: CheckContext;
  readonly service: ServiceWorld;
  /** One for all checks of the run. */
  readonly signIn: SharedSignIn;

  constructor(base: CheckContext, service: ServiceWorld, signIn: SharedSignIn) {
    this.base = base;
    this.service = service;
    this.signIn = signIn;
  }

  /** A valid `ptn_token`, hidden from now on. */
  async ptnToken(): Promise<string> {
    const ptnToken = await this.service.nextPtnToken();
    this.#hide(ptnToken);
    return ptnToken;
  }

  /** Exchanges a `ptn_token` for an access token; judges nothing. */
  async requestToken(ptnToken: string): Promise<TokenOutcome> {
    const request = this.tokenRequest(ptnToken);
    const seen = { operation: 'token', intent: 'right' } as const;
    const outcome = await this.base.send(request, readTokenAnswer, seen);
    this.#hide(outcome.reading?.seen.acsToken);
    return outcome;
  }

  /** Authenticates with an access token; judges nothing. */
  authenticate(acsToken: string): Promise<CallOutcome<AuthenticateResult>> {
    const seen = { operation: 'authenticate', intent: 'right' } as const;
    return this.base.send(this.authenticateRequest(acsToken), readAuthenticateAnswer, seen);
  }

  /** Sends a request that is wrong on purpose. */
  async sendMalformed({ name, operation, request }: MalformedSignIn): Promise<CallOutcome<object>> {
    const seen = { operation, intent: 'wrong', malformed: name } as const;
    const read: Parameters<typeof this.base.send<object>>[1] =
      operation === 'token' ? readTokenAnswer : readAuthenticateAnswer;
    const outcome: CallOutcome<{ acsToken?: string }> = await this.base.send(request, read, seen);
    this.#hide(outcome.reading?.seen.acsToken); // a token that should not have been given
    return outcome;
  }

  /** A right token request, to be sent or spoilt. */
  tokenRequest(ptnToken: string): WireRequest {
    const { authUrl, secretKey } = this.service;
    return tokenRequest({
      authUrl,
      clientId: this.base.world.clientId,
      secretKey,
      ptnToken: Secret.text(ptnToken),
    });
  }

  /** A right authenticate request, to be sent or spoilt. */
  authenticateRequest(acsToken: string): WireRequest {
    const { authUrl, secretKey } = this.service;
    const { clientId } = this.base.world;
    const token = Secret.text(acsToken);
    return authenticateRequest({ authUrl, clientId, secretKey, acsToken: token });
  }

  /** The token answer that the checks look at together. */
  tokenOutcome(): TokenOutcome {
    return this.signIn.token ?? skip('No token was asked for before.');
  }

  /** The authenticate answer that the checks look at together. */
  authenticateOutcome(): CallOutcome<AuthenticateResult> {
    return this.signIn.authenticate ?? skip('Nobody was authenticated before.');
  }

  #hide(value: string | undefined): void {
    if (value) this.base.world.emit({ type: 'secret', value: Secret.text(value) });
  }
}

/** The access token of an answer, also of one that is wrong elsewhere; skips where none can be used. */
export function acsTokenIn({ reading }: TokenOutcome): string {
  const { problem, seen } = reading ?? {};
  const isOfToken =
    problem !== undefined && 'field' in problem && problem.field === 'result.acs_token';
  const acsToken = isOfToken ? undefined : seen?.acsToken;
  return acsToken || skip('No acs_token that can be used came with the answer.');
}
