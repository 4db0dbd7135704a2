import type { RandomBytes } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import type { RsaPublicKey } from '../../crypto/rsa-key.ts';
import type { DiagnosisCode } from '../../errors.ts';
import { isJsonObject, type JsonObject, readJson } from '../../protocol/json.ts';
import type { User } from '../../protocol/user.ts';
import type { Operation, Refusal } from '../handling.ts';
import type { EmulatorRequest, EmulatorResponse } from '../http.ts';
import { type ApplicationFaultName, titles } from './titles.ts';

/** What a fault sees of the call in which it acts. */
export interface Situation {
  readonly request: EmulatorRequest;
  readonly operation?: Operation;
  readonly ptnCd?: string;
  /** The side's own, as is the cipher. */
  readonly clientId: string;
  readonly cipher: Cipher;
  /** Set where the request was refused. */
  readonly refusal?: Refusal;
  /** As stored before this call. */
  readonly user?: Pick<User, 'key' | 'superPasscode' | 'userInfo'>;
  /** The per-user key: made by this key exchange, or stored before. */
  readonly key?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly randomBytes: RandomBytes;
}

export interface UserSituation extends Situation {
  readonly ptnCd: string;
}

export interface KeyExchangeSituation extends UserSituation {
  readonly publicKey: RsaPublicKey;
  readonly key: string;
}

export interface SigninSituation extends UserSituation {
  readonly key: string;
}

/** A named place in a handler: the type of the value that passes there, and what is seen there. */
interface Point<Right, Seen extends Situation = Situation> {
  readonly right: Right;
  readonly seen: Seen;
}

/** The points that both sides have, in the order in which a call passes them. */
export interface ResponsePoints {
  /** Passed at every refusal, and once with undefined for a well-formed request. */
  readonly refusal: Point<Refusal | undefined>;
  /** The JSON value of the response. */
  readonly value: Point<unknown>;
  readonly body: Point<Uint8Array>;
  readonly response: Point<EmulatorResponse>;
}

export interface ApplicationPoints extends ResponsePoints {
  /** The code under which the user is stored and found. */
  readonly userCode: Point<string>;
  /** The generated per-user key, before it is stored and wrapped. */
  readonly key: Point<string, KeyExchangeSituation>;
  /** The key that the key exchange stores; undefined stores nothing. */
  readonly storedKey: Point<string | undefined, KeyExchangeSituation>;
  /** The key that the registration finds; undefined where the user is unknown. */
  readonly foundKey: Point<string | undefined, UserSituation>;
  /** The bytes that are wrapped: the key's characters. */
  readonly message: Point<Uint8Array, KeyExchangeSituation>;
  readonly ciphertext: Point<Uint8Array, KeyExchangeSituation>;
  readonly encPartnerKey: Point<string, KeyExchangeSituation>;
}

export interface ServicePoints extends ResponsePoints {
  readonly acsToken: Point<string, SigninSituation>;
  readonly expireDt: Point<string, SigninSituation>;
  readonly ptnCd: Point<string, SigninSituation>;
  /** The passcode before it is encrypted. */
  readonly passcode: Point<string, SigninSituation>;
  readonly ptnSp: Point<string, SigninSituation>;
}

export type PointsOf<P> = { readonly [Name in keyof P]: Point<unknown> };

/** What a fault does: it returns the wrong value for the right one at some points. */
export type Hooks<P extends PointsOf<P>> = {
  readonly [Name in keyof P]?: (right: P[Name]['right'], seen: P[Name]['seen']) => P[Name]['right'];
};

export type SigninBehaviour = Hooks<ServicePoints> & {
  readonly isExpired?: boolean;
  /** Authenticate requests are accepted whatever they contain: who sends one is signed in. */
  readonly acceptsAnyAcsToken?: boolean;
};

export interface Fault<P extends PointsOf<P>> {
  readonly name: string;
  readonly title: string;
  /** Of the application, the check of `verify` that must fail; {@link byExplore} where a sequence of requests shows it. */
  readonly check?: string;
  /** The diagnosis that `verify` or `explore` must report. */
  readonly diagnosis: DiagnosisCode;
  /** Of a fault that remembers earlier calls, what makes it without memories. */
  readonly apply: Hooks<P> | (() => Hooks<P>);
}

export type ListedFault = Pick<Fault<never>, 'name' | 'title' | 'check' | 'diagnosis'>;

/** What lists show of a fault. */
export function listed({ name, title, check, diagnosis }: ListedFault): ListedFault {
  return { name, title, check, diagnosis };
}

export type ApplicationFault = Fault<ApplicationPoints> & { readonly check: string };
export type ServiceFault = Fault<ServicePoints>;

/** In the place of a check: the fault shows in sequences that only `explore` sends. */
export const byExplore = 'explore';

/** What a fault does, and its diagnosis where that is not the usual one. */
export type FaultRow = Hooks<ApplicationPoints> & { readonly diagnosis?: DiagnosisCode };

/** By the check that finds them; a function makes the row of a fault that remembers. */
export type FaultTable = Readonly<
  Record<string, Readonly<Partial<Record<ApplicationFaultName, FaultRow | (() => FaultRow)>>>>
>;

/** Faults of the application in the order of the rows; without a usual diagnosis it is the code of their name. */
export function defineFaults(usual: DiagnosisCode | undefined, table: FaultTable) {
  return Object.entries(table).flatMap(([check, rows]) =>
    Object.entries(rows).map(([key, apply]): ApplicationFault => {
      const name = key as ApplicationFaultName;
      const { diagnosis } = typeof apply === 'function' ? apply() : apply;
      const code = (diagnosis ?? usual ?? name) as DiagnosisCode;
      return { name, title: titles[name], check, diagnosis: code, apply };
    }),
  );
}

/** The fields of the request; none if it isn't a JSON object. */
export function sentIn({ request }: Situation): JsonObject {
  const reading = readJson(request.body);
  return reading.ok && isJsonObject(reading.value) ? reading.value : {};
}
