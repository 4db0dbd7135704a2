import { createHmac, hkdfSync } from 'node:crypto';
import {
  constantTimeEqual,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
  type RandomBytes,
} from '../bytes.ts';
import type { Secret } from '../crypto/secret.ts';

/*
 * The interface leaves open how a client library makes a `ptn_token` (section 5). This one is for
 * the emulated service only, and needs nothing in common with it but client id and secret key:
 *
 *   authcli-ptn-1.CLAIMS.MAC
 *
 * CLAIMS is Base64url of the JSON [client_id, ptn_cd, issued (ms since the epoch), nonce], MAC is
 * Base64url of HMAC-SHA-256 over "authcli-ptn-1.CLAIMS". The key of the MAC is derived from the
 * secret key with HKDF-SHA-256 (RFC 5869), so that the token tells nothing that could be used as one.
 */
const version = 'authcli-ptn-1';
const nonceBytes = 12;

/** How far the issuer's clock may be ahead, in milliseconds. */
const clockSkewMs = 60_000;

/** How long a `ptn_token` is good where nothing else is set, in milliseconds. */
export const defaultPtnTokenTtlMs = 600_000;

/** What a client library of this application knows. */
export interface PtnTokenIssuer {
  readonly clientId: string;
  /** The application's server secret key; it keys the MAC and is not in the token. */
  readonly secretKey: Secret;
}

/** Why a `ptn_token` is not accepted. */
export type PtnTokenFailure = 'malformed' | 'mac' | 'client' | 'expired' | 'not-yet';

export type PtnTokenReading =
  | { readonly ok: true; readonly ptnCd: string; readonly issuedAt: number }
  | {
      readonly ok: false;
      readonly failure: PtnTokenFailure;
      /** Set where the token is one that was issued for this client, and only its time is wrong. */
      readonly ptnCd?: string;
    };

/**
 * A `ptn_token` for the emulated service.
 *
 * @param ptnCd the application user code that the token stands for
 * @param issuer the client id and secret key that the emulated service has too
 * @param now milliseconds since the epoch
 */
export function issuePtnToken(
  ptnCd: string,
  issuer: PtnTokenIssuer,
  environment: { readonly now: number; readonly randomBytes: RandomBytes },
): string {
  const nonce = encodeBase64Url(environment.randomBytes(nonceBytes));
  const claims = JSON.stringify([issuer.clientId, ptnCd, environment.now, nonce]);
  const signed = `${version}.${encodeBase64Url(encodeUtf8(claims))}`;
  return `${signed}.${encodeBase64Url(mac(signed, issuer.secretKey))}`;
}

/**
 * Reads a `ptn_token` that {@link issuePtnToken} made, in this process or in another.
 *
 * @param ttlMs how long after its issue the token is good, in milliseconds
 * @returns the user it stands for, or the first failure; the MAC is compared in constant time and
 *   checked before anything in the token is believed
 */
export function verifyPtnToken(
  ptnToken: string,
  issuer: PtnTokenIssuer,
  { now, ttlMs }: { readonly now: number; readonly ttlMs: number },
): PtnTokenReading {
  const parts = /^(authcli-ptn-1\.([\w-]+))\.([\w-]{43})$/.exec(ptnToken);
  if (parts === null) return { ok: false, failure: 'malformed' };
  const [, signed = '', claims = '', tag = ''] = parts;
  const expected = encodeBase64Url(mac(signed, issuer.secretKey));
  if (!constantTimeEqual(encodeUtf8(expected), encodeUtf8(tag)))
    return { ok: false, failure: 'mac' };
  const [clientId, ptnCd, issuedAt] = readClaims(claims);
  if (clientId !== issuer.clientId) return { ok: false, failure: 'client' };
  if (issuedAt > now + clockSkewMs) return { ok: false, failure: 'not-yet', ptnCd };
  if (issuedAt + ttlMs <= now) return { ok: false, failure: 'expired', ptnCd };
  return { ok: true, ptnCd, issuedAt };
}

type Claims = readonly [clientId: string, ptnCd: string, issuedAt: number, nonce: string];

/** Only for claims whose MAC was right: this project wrote them. */
function readClaims(claims: string): Claims {
  return JSON.parse(decodeUtf8(Buffer.from(claims, 'base64url')) ?? '[]') as Claims;
}

function mac(signed: string, secretKey: Secret): Uint8Array {
  const key = hkdfSync(
    'sha256',
    encodeUtf8(secretKey.reveal()),
    new Uint8Array(),
    encodeUtf8(version),
    32,
  );
  return createHmac('sha256', new Uint8Array(key)).update(signed).digest();
}
