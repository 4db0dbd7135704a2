import { encodeBase64Url, type RandomBytes } from '../bytes.ts';

/** What became of an access token that was presented. */
export type Redemption =
  | { readonly ok: true; readonly ptnCd: string }
  | { readonly ok: false; readonly failure: 'unknown' }
  | { readonly ok: false; readonly failure: 'expired' | 'used'; readonly ptnCd: string };

interface Issued {
  readonly ptnCd: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  used: boolean;
}

const tokenBytes = 32;
/** How long a token is remembered after it expired, so that it can be told from one never given out. */
const rememberedMs = 3_600_000;

/** The access tokens of one emulated service, each good once and until it expires. */
export class AccessTokens {
  readonly #ttlMs: number;
  readonly #issued = new Map<string, Issued>();

  /** @param ttlMs how long a token is good, in milliseconds */
  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** A new token for a user; `expiresAt` in milliseconds since the epoch. */
  issue(
    ptnCd: string,
    { now, randomBytes }: { readonly now: number; readonly randomBytes: RandomBytes },
  ): { readonly acsToken: string; readonly expiresAt: number } {
    this.#forget(now);
    const acsToken = encodeBase64Url(randomBytes(tokenBytes));
    const expiresAt = now + this.#ttlMs;
    this.#issued.set(acsToken, { ptnCd, expiresAt, used: false });
    return { acsToken, expiresAt };
  }

  /** Uses a token up. One that is used and expired counts as used: that came first. */
  redeem(acsToken: string, now: number): Redemption {
    const issued = this.#issued.get(acsToken);
    if (issued === undefined) return { ok: false, failure: 'unknown' };
    const { ptnCd } = issued;
    if (issued.used) return { ok: false, failure: 'used', ptnCd };
    if (issued.expiresAt <= now) return { ok: false, failure: 'expired', ptnCd };
    issued.used = true;
    return { ok: true, ptnCd };
  }

  /** Tokens were put in in the order in which they expire, so the old ones stand in front. */
  #forget(now: number): void {
    for (const [acsToken, { expiresAt }] of this.#issued) {
      if (expiresAt + rememberedMs > now) return;
      this.#issued.delete(acsToken);
    }
  }
}
