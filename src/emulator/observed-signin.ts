import type { Cipher } from '../crypto/cipher.ts';
import type { Secret } from '../crypto/secret.ts';
import { authenticatePath, tokenPath } from '../protocol/endpoints.ts';
import type { Hooks, ServiceFault, ServicePoints } from './faults/points.ts';
import { Switchboard } from './faults/switchboard.ts';
import type { Environment, Operation } from './handling.ts';
import type { EmulatorAnswer, EmulatorRequest } from './http.ts';
import { issuePtnToken } from './ptn-token.ts';
import { createService, handleServiceCall, type Service } from './service.ts';
import type { ServiceRefusal } from './service-codes.ts';
import type { ServiceUser } from './service-users.ts';
import type { SigninBehaviour } from './signin-scenarios.ts';

/** One request of the application, as it came, and what it was answered. */
export interface ObservedCall {
  readonly request: EmulatorRequest;
  readonly answer: EmulatorAnswer;
  /** Absent where the path is not even nearly one of the two. */
  readonly operation?: Extract<Operation, 'token' | 'authenticate'>;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly durationMs: number;
}

export interface ObservedSigninOptions {
  readonly clientId: string;
  readonly secretKey: Secret;
  readonly cipher: Cipher;
  readonly environment: Environment;
  /** The time zone of `expire_dt`; UTC by default. */
  readonly timeZone?: string;
  /** The user who signs in. */
  readonly user: ServiceUser;
  readonly behaviour: SigninBehaviour;
}

/** Beyond any time zone: such an expire_dt is over wherever it is read. */
const longExpiredMs = -36 * 3_600_000;

/** Of an application that never stops asking, or asks for too much at a time, the beginning is enough. */
const mostKept = 200;
/** In bytes of the bodies, each of which may have a megabyte. */
const mostKeptBytes = 8_388_608;

/** What a service that only watches lets pass: the checks tell it better than a refusal would. */
const letPass: ReadonlySet<string> = new Set<ServiceRefusal>([
  'method',
  'content-type',
  'secret-outside-body',
  'acs-token-used',
]);

/**
 * The emulated service at one sign-in of one user, watching the application: it behaves as it is
 * told, keeps every request, and answers also one whose form is wrong, so that one mistake hides
 * no other.
 */
export class ObservedSignin {
  readonly ptnToken: string;
  /** The first of them. */
  readonly calls: ObservedCall[] = [];
  /** How many came. */
  received = 0;
  #keptBytes = 0;
  readonly #service: Service;

  constructor({ user, behaviour, ...options }: ObservedSigninOptions) {
    const { environment } = options;
    const service = createService({
      ...options,
      findUser: (ptnCd) => (ptnCd === user.ptnCd ? user : undefined),
      ...(behaviour.isExpired && { tokenTtlMs: longExpiredMs }),
    });
    this.#service = { ...service, faults: switchedOn(lenient, behaviour.hooks ?? {}) };
    this.ptnToken = issuePtnToken(user.ptnCd, options, { ...environment, now: environment.now() });
  }

  /** Answers a request, and keeps both. */
  async handle(request: EmulatorRequest): Promise<EmulatorAnswer> {
    const { now } = this.#service.environment;
    const receivedAt = now();
    const operation = operationOf(request.path);
    const path = operation === undefined ? request.path : pathOf[operation];
    const { answer } = await handleServiceCall({ ...request, path }, this.#service);
    this.received += 1;
    if (this.calls.length < mostKept && this.#keptBytes < mostKeptBytes) {
      this.#keptBytes += request.body.length;
      this.calls.push({ request, answer, operation, receivedAt, durationMs: now() - receivedAt });
    }
    return answer;
  }
}

const pathOf = { token: tokenPath, authenticate: authenticatePath } as const;

/** Slashes too many, other letters and a prefix are seen through. */
function operationOf(path: string): ObservedCall['operation'] {
  const name = /\/process\/+(token|authenticate)\/*$/i.exec(path)?.[1]?.toLowerCase();
  return name === 'token' || name === 'authenticate' ? name : undefined;
}

const lenient: Hooks<ServicePoints> = {
  refusal: (right) => (right !== undefined && letPass.has(right.name) ? undefined : right),
};

function switchedOn(...hooks: readonly Hooks<ServicePoints>[]): Switchboard<ServicePoints> {
  const faults = hooks.map((apply, index): ServiceFault => {
    const unnamed = { title: '', check: '', diagnosis: 'accepted-bad-input' } as const;
    return { name: `behaviour-${index}`, side: 'service', ...unnamed, apply };
  });
  const switchboard = new Switchboard(faults);
  for (const { name } of faults) switchboard.switchOn({ name });
  return switchboard;
}
