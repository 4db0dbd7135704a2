import type { RandomBytes } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { authenticateRequest, tokenRequest } from '../client/signin.ts';
import {
  type MalformedSignInName,
  malformedSignInNames,
  malformSignIn,
  outsideNames,
  plainHeaderNames,
} from '../conformance/malformed-sign-in.ts';
import { Secret } from '../crypto/secret.ts';
import type { SignInRequest } from './model/service-expectation.ts';
import type { TokenId } from './model/service-state.ts';
import type { Step } from './sequence.ts';

/** A token of the sequence. */
export interface SeenToken {
  readonly id: TokenId;
  readonly text: string;
}

/** An `acs_token` of the sequence, by the clock here. */
export interface SeenAcsToken extends SeenToken {
  /** Until then it is valid for certain; milliseconds. */
  readonly freshUntil: number;
  /** From then on it has expired for certain; undefined where that is not known. */
  readonly expiredFrom?: number;
}

/** What a step is built from: the caller, and what is known about the user. */
export interface SignInScene {
  readonly authUrl: string;
  readonly clientId: string;
  readonly secretKey: Secret;
  readonly randomBytes: RandomBytes;
  /** Those that were exchanged, in the order of their first exchange. */
  readonly ptnTokens: readonly SeenToken[];
  /** In the order in which they were issued. */
  readonly acsTokens: readonly SeenAcsToken[];
  /** The one that was accepted last. */
  readonly usedToken: SeenAcsToken | undefined;
  readonly newPtnToken: () => Promise<SeenToken>;
  readonly foreignPtnToken: () => string | undefined;
  /** Waits until a token has expired; false if that is too long or not known. */
  readonly awaitExpiry: (token: SeenAcsToken) => Promise<boolean>;
}

/** A request, and what the model has to know about it. */
export interface BuiltSignIn {
  readonly request: WireRequest;
  readonly form: SignInRequest['form'];
  /** The token that it sends, if it is one of the user. */
  readonly token?: SeenToken | SeenAcsToken | undefined;
}

/** What a drawing of sequences knows about a user. */
export interface PlannedSignIns {
  readonly issued: number;
  readonly used: number;
}

/** Something that is sent to the service. */
export interface ServiceOperation {
  /** `token/NAME` or `authenticate/NAME`. */
  readonly id: string;
  readonly kind: SignInRequest['kind'];
  /** "a token request with a new ptn_token" */
  readonly about: string;
  /** How often it is drawn beside others. */
  readonly weight: number;
  readonly fits: (plan: PlannedSignIns) => boolean;
  /** Undefined if it can't be sent now. */
  readonly build: (scene: SignInScene, step: Step) => Promise<BuiltSignIn | undefined>;
}

const always = () => true;
const hasToken = ({ issued }: PlannedSignIns) => issued > 0;

const validOperations: readonly ServiceOperation[] = [
  {
    id: 'token/valid',
    kind: 'token',
    about: 'a token request with a new ptn_token',
    weight: 60,
    fits: always,
    build: async (scene) => exchanging(scene, await scene.newPtnToken()),
  },
  {
    id: 'token/again',
    kind: 'token',
    about: 'a token request with a ptn_token that was exchanged before',
    weight: 25,
    fits: hasToken,
    build: async (scene) => exchanging(scene, scene.ptnTokens.at(-1)),
  },
  authenticating(
    'latest-token',
    'an authenticate request with the latest acs_token of its user',
    50,
    hasToken,
    ({ acsTokens }) => acsTokens.at(-1),
  ),
  authenticating(
    'used-token',
    'an authenticate request with an acs_token that was used before',
    15,
    ({ used }) => used > 0,
    ({ usedToken }) => usedToken,
  ),
  authenticating(
    'earlier-token',
    'an authenticate request with an earlier acs_token of its user',
    6,
    ({ issued }) => issued > 1,
    ({ acsTokens }, { detail = 1 }) => acsTokens.at(-1 - detail),
  ),
  {
    ...authenticating(
      'expired-token',
      'an authenticate request with an acs_token after its expire_dt',
      6,
      hasToken,
      ({ acsTokens }) => acsTokens.at(-1),
    ),
    build: async (scene) => {
      const token = scene.acsTokens.at(-1);
      if (token === undefined || !(await scene.awaitExpiry(token))) return undefined;
      return { request: authenticateWith(scene, token.text), form: 'valid', token };
    },
  },
];

function exchanging(scene: SignInScene, token: SeenToken | undefined): BuiltSignIn | undefined {
  return token && { request: tokenWith(scene, token.text), form: 'valid', token };
}

function authenticating(
  name: string,
  about: string,
  weight: number,
  fits: ServiceOperation['fits'],
  tokenOf: (scene: SignInScene, step: Step) => SeenAcsToken | undefined,
): ServiceOperation {
  return {
    id: `authenticate/${name}`,
    kind: 'authenticate',
    about,
    weight,
    fits,
    build: async (scene, step) => {
      const token = tokenOf(scene, step);
      return token && { request: authenticateWith(scene, token.text), form: 'valid', token };
    },
  };
}

function tokenWith(scene: SignInScene, text: string): WireRequest {
  return tokenRequest({ ...scene, ptnToken: Secret.text(text) });
}

function authenticateWith(scene: SignInScene, text: string): WireRequest {
  return authenticateRequest({ ...scene, acsToken: Secret.text(text) });
}

/** Right requests that only their token makes wrong: the operations above send them. */
const ofTheirToken: ReadonlySet<MalformedSignInName> = new Set<MalformedSignInName>([
  'acs-token-used',
  'acs-token-in-parallel',
  'acs-token-expired',
]);

const swaps: Readonly<
  Partial<Record<MalformedSignInName, (scene: SignInScene) => string | undefined>>
> = {
  'ptn-token-foreign': (scene) => scene.foreignPtnToken(),
  'acs-token-as-ptn-token': ({ acsTokens }) => acsTokens.at(-1)?.text,
  'ptn-token-as-acs-token': ({ ptnTokens }) => ptnTokens.at(-1)?.text,
};

/** Drawn as often as some others together. */
const common: ReadonlySet<MalformedSignInName> = new Set<MalformedSignInName>([
  'token-secret-wrong',
  'authenticate-secret-wrong',
  'acs-token-invented',
]);

const outside: ReadonlySet<string> = new Set<string>(outsideNames);
const plainHeaders: ReadonlySet<string> = plainHeaderNames;

/** What a service should refuse by the interface's silence, and need not (`should` in `verify-service`). */
function isOdd(name: MalformedSignInName): boolean {
  return outside.has(name) || /-(?:space|array)$/.test(name);
}

/** Whether the token of the user is in it, if only in another form. */
function carriesToken(name: MalformedSignInName): boolean {
  return isOdd(name) || !/^(?:ptn|acs)-token-/.test(name);
}

const malformedOperations: readonly ServiceOperation[] = malformedSignInNames
  .filter((name) => !ofTheirToken.has(name))
  .map((name) => {
    const empty = { method: 'POST', url: new URL('http://localhost'), headers: [] };
    const request = { ...empty, body: new TextEncoder().encode('{}') };
    const { operation, about } = malformSignIn(name, request, (size) => new Uint8Array(size));
    return {
      id: `${operation}/${name}`,
      kind: operation,
      about,
      weight: common.has(name) ? 8 : 0.4,
      fits: operation === 'token' && name !== 'acs-token-as-ptn-token' ? always : hasToken,
      build: (scene) => malformed(scene, name, operation),
    };
  });

async function malformed(
  scene: SignInScene,
  name: MalformedSignInName,
  kind: ServiceOperation['kind'],
): Promise<BuiltSignIn | undefined> {
  const isPlain = /^[\x21-\x7e]+$/.test(scene.secretKey.reveal());
  if (plainHeaders.has(name) && !isPlain) return undefined;
  const swap = swaps[name];
  const swapped = swap?.(scene);
  const own =
    kind === 'token'
      ? (scene.ptnTokens.at(-1) ?? (await scene.newPtnToken()))
      : scene.acsTokens.at(-1);
  const text = swap === undefined ? own?.text : swapped;
  if (text === undefined) return undefined;
  const valid = kind === 'token' ? tokenWith(scene, text) : authenticateWith(scene, text);
  const { request } = malformSignIn(name, valid, scene.randomBytes);
  // A text without letters has no other case: the malformed request would be the valid one.
  const isSame = swap === undefined && Buffer.compare(request.body, valid.body) === 0;
  if (isSame) return undefined;
  return {
    request,
    form: isOdd(name) ? 'odd' : 'invalid',
    ...(carriesToken(name) && { token: own }),
  };
}

/** Everything that is sent to a service; the requests are those of `verify-service`. */
export const serviceOperations: readonly ServiceOperation[] = [
  ...validOperations,
  ...malformedOperations,
];

const byId = new Map(serviceOperations.map((operation) => [operation.id, operation]));

/** The operation of a step; a saved sequence may name one that no longer exists. */
export function findServiceOperation(id: string): ServiceOperation | undefined {
  return byId.get(id);
}
