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
  readonly user: ServiceUser;
  readonly behaviour: SigninBehaviour;
  /** Where redirects lead; a request that comes there is for `handleElsewhere`. */
  readonly elsewhere?: string | undefined;
}

/** More than the difference between any two time zones: such an expire_dt is past in each. */
const longExpiredMs = -36 * 3_600_000;

/** The first calls are enough, also of an application that never stops. */
const maxCalls = 200;
/** Of all request bodies, each of which may have a megabyte. */
const maxBytes = 2_097_152;

/** Checks report these mistakes, and a byte order mark, better than a refusal would. */
const lenient = accepts(['method', 'content-type', 'secret-outside-body', 'acs-token-used']);

/**
 * The emulated service at one sign-in of one user. It records every request, and accepts also what
 * is wrong in its form, so that one mistake doesn't hide another.
 */
export function emulateSignin(options: EmulatedSigninOptions) {
  const { user, behaviour, environment, elsewhere, clientId, secretKey } = options;
  const { isExpired, acceptsAnyAcsToken, ...hooks } = behaviour;
  const service = createService({
    ...options,
    findUser: (ptnCd) => (ptnCd === user.ptnCd ? user : undefined),
    tokenTtlMs: isExpired ? longExpiredMs : undefined,
  });
  /** Without the behaviour of this sign-in, but with the same tokens. */
  const right: Service = { ...service, faults: switchedOn(lenient) };
  const wrong: Service = { ...service, faults: switchedOn(lenient, hooks) };
  const ptnToken = issuePtnToken(user.ptnCd, options, environment);
  const calls: ObservedCall[] = [];
  const strayRequests: EmulatorRequest[] = [];
  let received = 0;
  let bytes = 0;

  const rightRequest = (operation: 'token' | 'authenticate'): EmulatorRequest => {
    const token =
      operation === 'token'
        ? { ptn_token: ptnToken }
        : { acs_token: right.tokens.issue(user.ptnCd, environment).acsToken };
    const fields = { client_id: clientId, secret_key: secretKey.reveal(), ...token };
    return {
      method: 'POST',
      path: pathOf[operation],
      headers: { 'content-type': contentType },
      body: encodeUtf8(JSON.stringify(fields)),
    };
  };

  const respond = async (
    request: EmulatorRequest,
    operation: ObservedCall['operation'],
  ): Promise<EmulatorResponse> => {
    const path = operation === undefined ? request.path : pathOf[operation];
    const hasMark = decodeUtf8(request.body)?.startsWith('\ufeff');
    const body = hasMark ? request.body.subarray(3) : request.body;
    const isAnyAccepted = acceptsAnyAcsToken && operation === 'authenticate';
    const asked = isAnyAccepted ? rightRequest(operation) : { ...request, path, body };
    const { response } = await handleServiceCall(asked, wrong);
    if (elsewhere === undefined || response.headers.location === undefined) return response;
    return {
      ...response,
      headers: { ...response.headers, location: `${elsewhere}${request.path}` },
    };
  };

  return {
    ptnToken,
    calls,
    strayRequests,
    get received() {
      return received;
    },

    async handle(request: EmulatorRequest): Promise<EmulatorResponse> {
      const receivedAt = environment.now();
      const operation = operationOf(request.path);
      const response = await respond(request, operation);
      received += 1;
      if (calls.length < maxCalls && bytes < maxBytes) {
        bytes += request.body.length;
        const durationMs = environment.now() - receivedAt;
        calls.push({ request, response, operation, receivedAt, durationMs });
      }
      return response;
    },

    /** Says yes to any request, as a server to which a redirect leads. */
    async handleElsewhere(request: EmulatorRequest): Promise<EmulatorResponse> {
      if (strayRequests.length < maxCalls) strayRequests.push(request);
      const operation = operationOf(request.path) ?? 'token';
      return (await handleServiceCall(rightRequest(operation), right)).response;
    },
  };
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
    return { name, title: '', diagnosis: 'accepted-bad-input', apply };
  });
  const switchboard = new Switchboard(faults);
  for (const { name } of faults) switchboard.switchOn({ name });
  return switchboard;
}
