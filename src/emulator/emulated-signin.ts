import { encodeBase64Url } from '../bytes.ts';
import { authenticatePath, tokenPath } from '../protocol/endpoints.ts';
import type { JsonObject } from '../protocol/json.ts';
import { accepts, editSuccess, without } from './faults/edit.ts';
import type { Hooks, ServiceFault, ServicePoints } from './faults/points.ts';
import { Switchboard } from './faults/switchboard.ts';
import { serviceFaults } from './faults.ts';
import type { Operation } from './handling.ts';
import { type EmulatorRequest, type EmulatorResponse, jsonResponse } from './http.ts';
import { createService, handleServiceCall, type Service, type ServiceOptions } from './service.ts';
import { issuePtnToken } from './tokens.ts';
import type { ServiceUser } from './users.ts';

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
}

/** How the service behaves at one sign-in; `isExpired`: the acs_token is expired when it is issued. */
export type SigninBehaviour = Hooks<ServicePoints> & { readonly isExpired?: boolean };

/** More than the difference between any two time zones: such an expire_dt is past in each. */
const longExpiredMs = -36 * 3_600_000;

/** The first calls are enough, also of an application that never stops. */
const maxCalls = 200;
/** Of all request bodies, each of which may have a megabyte. */
const maxBytes = 8_388_608;

/** Checks report these mistakes better than a refusal would. */
const lenient = accepts(['method', 'content-type', 'secret-outside-body', 'acs-token-used']);

/**
 * The emulated service at one sign-in of one user. It records every request, and accepts also what
 * is wrong in its form, so that one mistake doesn't hide another.
 */
export class EmulatedSignin {
  readonly ptnToken: string;
  /** The first calls. */
  readonly calls: ObservedCall[] = [];
  /** The number of all calls. */
  received = 0;
  #bytes = 0;
  readonly #service: Service;

  constructor({ user, behaviour, ...options }: EmulatedSigninOptions) {
    const { environment } = options;
    const { isExpired, ...hooks } = behaviour;
    const service = createService({
      ...options,
      findUser: (ptnCd) => (ptnCd === user.ptnCd ? user : undefined),
      ...(isExpired && { tokenTtlMs: longExpiredMs }),
    });
    this.#service = { ...service, faults: switchedOn(lenient, hooks) };
    this.ptnToken = issuePtnToken(user.ptnCd, options, { ...environment, now: environment.now() });
  }

  async handle(request: EmulatorRequest): Promise<EmulatorResponse> {
    const { now } = this.#service.environment;
    const receivedAt = now();
    const operation = operationOf(request.path);
    const path = operation === undefined ? request.path : pathOf[operation];
    const { response } = await handleServiceCall({ ...request, path }, this.#service);
    this.received += 1;
    if (this.calls.length < maxCalls && this.#bytes < maxBytes) {
      this.#bytes += request.body.length;
      this.calls.push({ request, response, operation, receivedAt, durationMs: now() - receivedAt });
    }
    return response;
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

/** A refusal that carries everything that a response of success has. */
function withStrangeCode(response: JsonObject): JsonObject {
  return { ...response, code: '0001', message: 'The sign-in is not allowed.' };
}

/** How the service may behave while an application signs a user in; only `right` may succeed. */
export const signinScenarios = {
  right: {},
  'token-refused': fault('refuses-token'),
  'token-refused-with-result': editSuccess(withStrangeCode, 'token'),
  'token-without-acs-token': fault('acs-token-missing'),
  'token-expired': { isExpired: true },
  'token-connection-cut': cut('token'),
  'authenticate-refused': fault('refuses-authenticate'),
  'authenticate-refused-with-result': editSuccess(withStrangeCode, 'authenticate'),
  'authenticate-without-result': editSuccess(without('result'), 'authenticate'),
  'authenticate-without-ptn-sp': fault('ptn-sp-missing'),
  'authenticate-error-page': at('authenticate', () =>
    jsonResponse(200, Buffer.from('<!DOCTYPE html><title>Maintenance</title><h1>Back soon</h1>'), {
      'content-type': 'text/html;charset=utf-8',
    }),
  ),
  'authenticate-connection-cut': cut('authenticate'),
  'passcode-other': { passcode: (_, { randomBytes }) => encodeBase64Url(randomBytes(18)) },
  'passcode-longer': { passcode: (right) => `${right}0` },
  'passcode-other-case': { passcode: swapCase },
  'passcode-empty': { passcode: () => '' },
  'passcode-undecryptable': fault('ptn-sp-damaged'),
} as const satisfies Readonly<Record<string, SigninBehaviour>>;

/** The token response names another user than the one whose passcode comes back. */
export function namesUser(ptnCd: string): SigninBehaviour {
  return { ptnCd: () => ptnCd };
}

function fault(name: string): SigninBehaviour {
  return serviceFaults.find((each) => each.name === name)?.apply ?? {};
}

function at(
  operation: Operation,
  change: (right: EmulatorResponse) => EmulatorResponse,
): SigninBehaviour {
  return { response: (right, seen) => (seen.operation === operation ? change(right) : right) };
}

function cut(operation: Operation): SigninBehaviour {
  return at(operation, (right) => ({ ...right, delivery: { breakOff: 'reset' } }));
}

function swapCase(text: string): string {
  return text.replace(/./gsu, (letter) => {
    const upper = letter.toUpperCase();
    return upper === letter ? letter.toLowerCase() : upper;
  });
}
