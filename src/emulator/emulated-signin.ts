import { decodeUtf8, encodeUtf8 } from '../bytes.ts';
import { authenticatePath, contentType, tokenPath } from '../protocol/endpoints.ts';
import { accepts } from './faults/edit.ts';
import type { Hooks, ServiceFault, ServicePoints, SigninBehaviour } from './faults/points.ts';
import { Switchboard } from './faults/switchboard.ts';
import type { Operation } from './handling.ts';
import type { EmulatorRequest, EmulatorResponse } from './http.ts';
import {
  createService,
  handleServiceCall,
  type Service,
  type ServiceOptions,
  type ServiceUser,
} from './service.ts';
import { issuePtnToken } from './tokens.ts';

/** One request of the application, as it came, and the response. */
export interface ObservedCall {
  readonly request: EmulatorRequest;
  readonly response: EmulatorResponse;
  /** Absent where the path is not even similar to one of the two. */
  readonly operation?: Extract<Operation, 'token' | 'authenticate'>;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly durationMs: number;
}

export interface EmulatedSigninOptions
  extends Omit<ServiceOptions, 'findUser' | 'tokenTtlMs' | 'ptnTokenTtlMs'> {
  /** The user who signs in. */
  readonly user: ServiceUser;
  readonly behaviour: SigninBehaviour;
  /** Where redirects lead; a request that comes there is for {@link EmulatedSignin.handleElsewhere}. */
  readonly elsewhere?: string | undefined;
}

/** More than the difference between any two time zones: such an expire_dt is past in each. */
const longExpiredMs = -36 * 3_600_000;

/** The first calls are enough, also of an application that never stops. */
const maxCalls = 200;
/** Of all request bodies, each of which may have a megabyte. */
const maxBytes = 8_388_608;

/** Checks report these mistakes, and a byte order mark, better than a refusal would. */
const lenient = accepts(['method', 'content-type', 'secret-outside-body', 'acs-token-used']);

/**
 * The emulated service at one sign-in of one user. It records every request, and accepts also what
 * is wrong in its form, so that one mistake doesn't hide another.
 */
export class EmulatedSignin {
  readonly ptnToken: string;
  /** The first calls. */
  readonly calls: ObservedCall[] = [];
  /** What came where a redirect led to. */
  readonly strayRequests: EmulatorRequest[] = [];
  /** The number of all calls. */
  received = 0;
  #bytes = 0;
  readonly #options: EmulatedSigninOptions;
  /** Without the behaviour of this sign-in, but with the same tokens. */
  readonly #right: Service;
  readonly #service: Service;

  constructor(options: EmulatedSigninOptions) {
    const { user, behaviour, environment } = options;
    const { isExpired, acceptsAnyAcsToken: _, ...hooks } = behaviour;
    this.#options = options;
    const service = createService({
      ...options,
      findUser: (ptnCd) => (ptnCd === user.ptnCd ? user : undefined),
      ...(isExpired && { tokenTtlMs: longExpiredMs }),
    });
    this.#right = { ...service, faults: switchedOn(lenient) };
    this.#service = { ...service, faults: switchedOn(lenient, hooks) };
    this.ptnToken = issuePtnToken(user.ptnCd, options, environment);
  }

  async handle(request: EmulatorRequest): Promise<EmulatorResponse> {
    const { now } = this.#options.environment;
    const receivedAt = now();
    const operation = operationOf(request.path);
    const response = this.#redirected(await this.#respond(request, operation), request);
    this.received += 1;
    if (this.calls.length < maxCalls && this.#bytes < maxBytes) {
      this.#bytes += request.body.length;
      this.calls.push({ request, response, operation, receivedAt, durationMs: now() - receivedAt });
    }
    return response;
  }

  /** Says yes to any request, as a server to which a redirect leads. */
  async handleElsewhere(request: EmulatorRequest): Promise<EmulatorResponse> {
    if (this.strayRequests.length < maxCalls) this.strayRequests.push(request);
    const operation = operationOf(request.path) ?? 'token';
    const { response } = await handleServiceCall(this.#rightRequest(operation), this.#right);
    return response;
  }

  async #respond(
    request: EmulatorRequest,
    operation: ObservedCall['operation'],
  ): Promise<EmulatorResponse> {
    const { acceptsAnyAcsToken } = this.#options.behaviour;
    const path = operation === undefined ? request.path : pathOf[operation];
    const hasMark = decodeUtf8(request.body)?.startsWith('\ufeff');
    const body = hasMark ? request.body.subarray(3) : request.body;
    const isAnyAccepted = acceptsAnyAcsToken && operation === 'authenticate';
    const asked = isAnyAccepted ? this.#rightRequest(operation) : { ...request, path, body };
    return (await handleServiceCall(asked, this.#service)).response;
  }

  #redirected(response: EmulatorResponse, { path }: EmulatorRequest): EmulatorResponse {
    const { elsewhere } = this.#options;
    if (elsewhere === undefined || response.headers.location === undefined) return response;
    return { ...response, headers: { ...response.headers, location: `${elsewhere}${path}` } };
  }

  #rightRequest(operation: 'token' | 'authenticate'): EmulatorRequest {
    const { user, clientId, secretKey, environment } = this.#options;
    const { tokens } = this.#right;
    const token =
      operation === 'token'
        ? { ptn_token: this.ptnToken }
        : { acs_token: tokens.issue(user.ptnCd, environment).acsToken };
    const fields = { client_id: clientId, secret_key: secretKey.reveal(), ...token };
    return {
      method: 'POST',
      path: pathOf[operation],
      headers: { 'content-type': contentType },
      body: encodeUtf8(JSON.stringify(fields)),
    };
  }
}

const pathOf = { token: tokenPath, authenticate: authenticatePath } as const;

/** Tolerates extra slashes, other case and a prefix. */
function operationOf(path: string): ObservedCall['operation'] {
  const name = /\/process\/+(token|authenticate)\/*$/i.exec(path)?.[1]?.toLowerCase();
  return name === 'token' || name === 'authenticate' ? name : undefined;
}

function switchedOn(...hooks: readonly Hooks<ServicePoints>[]): Switchboard<ServicePoints> {
  const faults = hooks.map((apply, index): ServiceFault => {
    const name = `behaviour-${index}`;
    return { name, side: 'service', title: '', check: '', diagnosis: 'accepted-bad-input', apply };
  });
  const switchboard = new Switchboard(faults);
  for (const { name } of faults) switchboard.switchOn({ name });
  return switchboard;
}
