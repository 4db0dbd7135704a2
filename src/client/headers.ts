import type { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { basicCredentials } from '../protocol/secret-fields.ts';
import { type Headers, headerOf, type WireRequest } from './exchange.ts';

/** The user's own header lines: any of them may carry a credential, whatever its name is. */
export type OwnHeaders = readonly (readonly [name: string, value: Secret])[];

const framing =
  /^(?:content-length|transfer-encoding|connection|keep-alive|upgrade|expect|proxy-connection)$/i;

/** Whether a header frames the message: the transport writes those, so that no request is ambiguous. */
export function isFraming(name: string): boolean {
  return framing.test(name);
}

/** The host in HTTP/2, which scheme a server asks for, and the id of a check. */
const withoutCredentials = /^(?::authority|www-authenticate|proxy-authenticate|x-authcli-check)$/i;

/** Whether the values of headers of that name are credentials. */
export function carriesCredentials(name: string): boolean {
  const mayCarry = /auth|cookie|token|secret|key|session|password|signature/i.test(name);
  return mayCarry && !withoutCredentials.test(name);
}

/**
 * The secret parts of such a value: all of it, the values of cookies, the password of Basic, and `Bearer abc`
 * without its scheme (RFC 9110 11.4), which comes last.
 */
export function credentialForms(value: string): readonly string[] {
  const [, ...password] = basicCredentials(value);
  const parts = [...cookieValues(value), password.join(':')].filter((part) => part !== '');
  return [value, ...parts, value.replace(/^[A-Za-z][A-Za-z0-9-]* +/, '')];
}

const cookieAttributes = /^(?:domain|expires|max-age|path|priority|samesite|version)$/i;

/** Shorter ones, such as `theme=dark`, are words that occur elsewhere. */
const cookieValueFrom = 8;

/** Of Cookie and Set-Cookie (RFC 6265 4). */
function cookieValues(header: string): readonly string[] {
  return [...header.matchAll(/(?:^|; *)([^\s=;,"]+)="?([^;"]*)/g)]
    .filter(([, name = '']) => !cookieAttributes.test(name))
    .map(([, , value = '']) => value)
    .filter(({ length }) => length >= cookieValueFrom);
}

/** Shorter values of a peer's headers, such as versions, occur elsewhere by chance. */
const credentialFrom = 6;

/** What a peer's headers contain as credentials, in each form in which it may occur elsewhere. */
export function credentialsIn(headers: Headers = []): readonly string[] {
  return headers
    .filter(([name]) => carriesCredentials(name))
    .flatMap(([, value]) => credentialForms(value))
    .filter(({ length }) => length >= credentialFrom);
}

/** A token (RFC 9110 5.6.2). */
function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** Without control characters, in Latin-1 (RFC 9110 5.5). */
function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/**
 * Checks the headers that the user adds to every request.
 * @throws AuthcliError `usage` for a name that is not a token (RFC 9110 5.6.2), a value that no
 *   header can carry (RFC 9110 5.5), or a header that frames the message; the value, perhaps a
 *   secret, is not repeated
 */
export function checkUserHeaders(headers: OwnHeaders): void {
  for (const [name, value] of headers) {
    if (!isHeaderName(name)) {
      throw new AuthcliError('usage', `"${name.slice(0, 60)}" is not a header name.`, {
        hint: 'A header name has letters, digits and hyphens, such as X-Api-Key.',
      });
    }
    if (!isHeaderValue(value.reveal())) {
      throw new AuthcliError(
        'usage',
        `The value of the header ${name} has a character that a header can't carry.`,
        { hint: 'Leave out line breaks, and percent-encode letters outside Latin-1.' },
      );
    }
    if (isFraming(name)) {
      throw new AuthcliError('usage', `The header ${name} is set by authcli itself.`, {
        hint: 'Leave it out; the connection and the length of the body decide it.',
      });
    }
  }
}

/** The defaults without those that the user replaces (in any case), then the user's own. */
function mergeHeaders(defaults: Headers, own: OwnHeaders): Headers {
  const replaced = new Set(own.map(([name]) => name.toLowerCase()));
  const added = own.map(([name, value]) => [name, value.reveal()] as const);
  return [...defaults.filter(([name]) => !replaced.has(name.toLowerCase())), ...added];
}

/** Headers that have fixed places, whoever gave them. */
const placed = /^(?:host|connection|content-length)$/i;

/**
 * The request exactly as it goes out: `host` and `connection` first, `content-length` last, as the
 * transport writes them (RFC 9112 3.2, 6.2; the case is the wire's).
 */
export function asSent(request: WireRequest, own: OwnHeaders): WireRequest {
  const merged = own.length === 0 ? request.headers : mergeHeaders(request.headers, own);
  const host = headerOf(merged, 'host') ?? request.url.host;
  const rest = merged.filter(([name]) => !placed.test(name));
  const headers: Headers = [['host', host], ['connection', 'keep-alive'], ...rest];
  const { method, url, body } = request;
  if (method !== 'POST') return { method, url, headers, body };
  return { method, url, headers: [...headers, ['content-length', String(body.length)]], body };
}
