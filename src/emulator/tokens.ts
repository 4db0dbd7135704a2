import { createHmac, hkdfSync } from 'node:crypto';
import { constantTimeEqual, decodeUtf8, encodeBase64Url, encodeUtf8 } from '../bytes.ts';
import type { Secret } from '../crypto/secret.ts';
import { Recent } from '../latest-results.ts';
import type { Environment } from './handling.ts';

/*
 * The interface leaves open how a client library makes a `ptn_token` (section 5). This format is for
 * the emulated service only:
 *
 *   authcli-ptn-1.CLAIMS.MAC
 *
 * CLAIMS is Base64url of the JSON [client_id, ptn_cd, issued (ms since the epoch), nonce], MAC is
 * Base64url of HMAC-SHA-256 over "authcli-ptn-1.CLAIMS", keyed by HKDF-SHA-256 (RFC 5869) of the
 * secret key.
 */
const version = 'authcli-ptn-1';
const nonceBytes = 12;

/** How far the issuer's clock may be ahead, in milliseconds. */
const clockSkewMs = 60_000;

export const defaultPtnTokenTtlMs = 600_000;

interface PtnTokenIssuer {
  readonly clientId: string;
  readonly secretKey: Secret;
}

/** A `ptn_token` for the emulated service, of the user `ptnCd`. */
export function issuePtnToken(
  ptnCd: string,
  issuer: PtnTokenIssuer,
  { now, randomBytes }: Environment,
): string {
  const nonce = encodeBase64Url(randomBytes(nonceBytes));
  const claims = JSON.stringify([issuer.clientId, ptnCd, now(), nonce]);
  const signed = `${version}.${encodeBase64Url(encodeUtf8(claims))}`;
  return `${signed}.${encodeBase64Url(mac(signed, issuer.secretKey))}`;
}

/**
 * Reads a `ptn_token` that {@link issuePtnToken} made, in this process or in another. The MAC is
 * checked first, in constant time.
 */
export function verifyPtnToken(
  ptnToken: string,
  issuer: PtnTokenIssuer,
  { now, ttlMs }: { readonly now: number; readonly ttlMs: number },
): { readonly ptnCd?: string; readonly failure?: 'ptn-token' | 'ptn-token-expired' } {
  const parts = /^(authcli-ptn-1\.([\w-]+))\.([\w-]{43})$/.exec(ptnToken);
  if (parts === null) return { failure: 'ptn-token' };
  const [, signed = '', claims = '', tag = ''] = parts;
  const expected = encodeBase64Url(mac(signed, issuer.secretKey));
  if (!constantTimeEqual(encodeUtf8(expected), encodeUtf8(tag))) return { failure: 'ptn-token' };
  // Unchecked: the MAC shows that this program wrote them.
  const [clientId, ptnCd, issuedAt]: readonly [string, string, number] = JSON.parse(
    decodeUtf8(Buffer.from(claims, 'base64url')) ?? '[]',
  );
  if (clientId !== issuer.clientId) return { failure: 'ptn-token' };
  if (issuedAt > now + clockSkewMs) return { ptnCd, failure: 'ptn-token' };
  return issuedAt + ttlMs <= now ? { ptnCd, failure: 'ptn-token-expired' } : { ptnCd };
}

function mac(signed: string, secretKey: Secret): Uint8Array {
  const key = hkdfSync('sha256', secretKey.reveal(), '', version, 32);
  return createHmac('sha256', new Uint8Array(key)).update(signed).digest();
}

interface Issued {
  readonly ptnCd: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  used: boolean;
}

/** Older ones are reported as unknown and not as expired or used. */
const mostRemembered = 100_000;

/** The access tokens of one emulated service, each valid once and until it expires. */
export function createAccessTokens(ttlMs: number) {
  const known = new Recent<string, Issued>(mostRemembered);
  return {
    /** A new token for a user; `expiresAt` in milliseconds since the epoch. */
    issue(ptnCd: string, { now, randomBytes }: Environment) {
      const acsToken = encodeBase64Url(randomBytes(32));
      const expiresAt = now() + ttlMs;
      known.set(acsToken, { ptnCd, expiresAt, used: false });
      return { acsToken, expiresAt };
    },

    /** Uses a token up, or says why not. One that is used and expired counts as used: that came first. */
    redeem(acsToken: string, now: number) {
      const issued = known.get(acsToken);
      if (issued === undefined) return { failure: 'unknown' } as const;
      const { ptnCd, used, expiresAt } = issued;
      if (used) return { ptnCd, failure: 'used' } as const;
      if (expiresAt <= now) return { ptnCd, failure: 'expired' } as const;
      issued.used = true;
      return { ptnCd };
    },

    clear: () => known.clear(),
  };
}
