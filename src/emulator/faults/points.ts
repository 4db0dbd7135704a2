import type { RandomBytes } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import type { RsaPublicKey } from '../../crypto/rsa-key.ts';
import type { Secret } from '../../crypto/secret.ts';
import type { DiagnosisCode } from '../../errors.ts';
import type { Operation, Refusal } from '../handling.ts';
import type { EmulatorAnswer, EmulatorRequest } from '../http.ts';
import type { ApplicationUser } from '../users.ts';

/** What a fault can see of the call in which it acts. */
export interface Situation {
  readonly request: EmulatorRequest;
  readonly operation?: Operation;
  readonly ptnCd?: string;
  /** The client that this side belongs to. */
  readonly clientId: string;
  /** Set where the request was refused. */
  readonly refusal?: Refusal;
  /** The cipher that this side is set to. */
  readonly cipher: Cipher;
  /** What the side keeps about the user, before this call. */
  readonly user?: { readonly key: Secret; readonly superPasscode?: Secret };
  /** The per-user key that this call is about: made by the key exchange, or kept before. */
  readonly key?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly randomBytes: RandomBytes;
  /** Lasts as long as the emulator does, for faults that remember or count. */
  readonly memory: Map<string, unknown>;
}

/** A key exchange whose request was accepted. */
export interface KeyExchangeSituation extends Situation {
  readonly ptnCd: string;
  readonly publicKey: RsaPublicKey;
  readonly key: string;
}

/** A sign-in call whose request was accepted. */
export interface SigninSituation extends Situation {
  readonly ptnCd: string;
  readonly key: string;
}

/** A named place in a handler: the right value that passes there, and what can be seen from it. */
interface Point<Right, Seen extends Situation = Situation> {
  readonly right: Right;
  readonly seen: Seen;
}

/** The points that both sides have, in the order in which a call passes them. */
export interface AnswerPoints {
  /**
   * Why the request is refused, or undefined: passed at every refusal, and once with undefined for
   * a request that is well-formed.
   */
  readonly refusal: Point<Refusal | undefined>;
  /** The JSON value of the answer. */
  readonly value: Point<unknown>;
  /** The body of the answer. */
  readonly body: Point<Uint8Array>;
  /** The whole HTTP answer. */
  readonly answer: Point<EmulatorAnswer>;
}

/** The points of the application's handler. */
export interface ApplicationPoints extends AnswerPoints {
  /** The code under which the user is kept and found. */
  readonly userCode: Point<string>;
  /** The per-user key that was generated; it is kept and wrapped. */
  readonly key: Point<string, KeyExchangeSituation>;
  /** The user as the key exchange stores them; undefined stores nothing. */
  readonly keptUser: Point<ApplicationUser | undefined, KeyExchangeSituation>;
  /** The bytes that are wrapped: the key's characters. */
  readonly message: Point<Uint8Array, KeyExchangeSituation>;
  /** The RSA ciphertext. */
  readonly ciphertext: Point<Uint8Array, KeyExchangeSituation>;
  /** The text of `enc_partner_key`. */
  readonly encPartnerKey: Point<string, KeyExchangeSituation>;
}

/** The points of the service's handler. */
export interface ServicePoints extends AnswerPoints {
  /** `acs_token` as given out. */
  readonly acsToken: Point<string, SigninSituation>;
  /** `expire_dt` as given out. */
  readonly expireDt: Point<string, SigninSituation>;
  /** `ptn_cd` in the answer. */
  readonly ptnCd: Point<string, SigninSituation>;
  /** The passcode before it is encrypted. */
  readonly passcode: Point<string, SigninSituation>;
  /** The text of `ptn_sp`. */
  readonly ptnSp: Point<string, SigninSituation>;
}

/** What every table of points is made of. */
export type PointsOf<P> = { readonly [Name in keyof P]: Point<unknown> };

/** What a fault does: at some points, the wrong value in place of the right one. */
export type Hooks<P extends PointsOf<P>> = {
  readonly [Name in keyof P]?: (right: P[Name]['right'], seen: P[Name]['seen']) => P[Name]['right'];
};

/** A mistake on request. */
export interface Fault<P extends PointsOf<P>> {
  /** Words joined by hyphens; what a person gives to switch it on. */
  readonly name: string;
  readonly side: 'application' | 'service';
  /** What goes wrong, in one line, as a person would say it. */
  readonly title: string;
  /** The check of `verify` that it must fail. */
  readonly check: string;
  /** The diagnosis that must be found. */
  readonly diagnosis: DiagnosisCode;
  readonly apply: Hooks<P>;
}

/** One row of a side's catalogue. */
export type FaultOf<P extends PointsOf<P>> = Omit<Fault<P>, 'side'>;

export type ApplicationFault = Fault<ApplicationPoints>;
export type ServiceFault = Fault<ServicePoints>;

/** What a fault keeps under `name` from call to call; made by `make` at the first one. */
export function recall<Value>({ memory }: Situation, name: string, make: () => Value): Value {
  if (!memory.has(name)) memory.set(name, make());
  return memory.get(name) as Value;
}
