import type { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { type Headers, headerOf, type WireRequest } from './exchange.ts';

/** A person's own header lines: what stands in one may be a key to something, whatever its name is. */
export type OwnHeaders = readonly (readonly [name: string, value: Secret])[];

/** Headers that frame the message: the transport writes them, so that no request is ambiguous. */
const framing = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'proxy-connection',
]);

/** Whether the values of headers of that name are credentials. */
export function carriesCredentials(name: string): boolean {
  return /auth|cookie|token|secret|key|session|password|signature/i.test(name);
}

/** What is secret in such a value: all of it, and `Bearer abc` without the name of its scheme (RFC 9110 11.4). */
export function credentialForms(value: string): readonly string[] {
  return [value, value.replace(/^[A-Za-z][A-Za-z0-9-]* +/, '')];
}

/**
 * Checks headers that a person added to every request.
 * @throws AuthcliError `usage` for a name that is no token (RFC 9110 5.6.2), a value with a
 *   character that no header carries (RFC 9110 5.5), or a header that frames the message; the
 *   value is not repeated, since it may be a secret.
 */
export function checkUserHeaders(headers: OwnHeaders): void {
  for (const [name, value] of headers) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      throw new AuthcliError('usage', `"${name.slice(0, 60)}" is no header name.`, {
        hint: 'A header name has letters, digits and hyphens, such as X-Api-Key.',
      });
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value.reveal())) {
      throw new AuthcliError(
        'usage',
        `The value of the header ${name} has a character that a header can't carry.`,
        { hint: 'Leave out line breaks, and percent-encode letters outside Latin-1.' },
      );
    }
    if (framing.has(name.toLowerCase())) {
      throw new AuthcliError('usage', `The header ${name} is set by authcli itself.`, {
        hint: 'Leave it out; the connection and the length of the body decide it.',
      });
    }
  }
}

/**
 * The headers of a request with a person's own: one of the same name (in any case) replaces the
 * default in its place, others follow.
 */
function mergeHeaders(defaults: Headers, own: OwnHeaders): Headers {
  const replaced = new Set(own.map(([name]) => name.toLowerCase()));
  const added = own.map(([name, value]) => [name, value.reveal()] as const);
  return [...defaults.filter(([name]) => !replaced.has(name.toLowerCase())), ...added];
}

/** Headers that stand at their own places, whoever gave them. */
const placed = new Set(['host', 'connection', 'content-length']);

/**
 * The request exactly as it goes out: `host` and `connection` first, `content-length` last, as the
 * transport writes them (RFC 9112 3.2, 6.2; the case is the wire's).
 */
export function asSent(request: WireRequest, own: OwnHeaders): WireRequest {
  const merged = own.length === 0 ? request.headers : mergeHeaders(request.headers, own);
  const host = headerOf(merged, 'host') ?? request.url.host;
  const rest = merged.filter(([name]) => !placed.has(name.toLowerCase()));
  const headers: Headers = [['host', host], ['connection', 'keep-alive'], ...rest];
  const { method, url, body } = request;
  if (method !== 'POST') return { method, url, headers, body };
  return { method, url, headers: [...headers, ['content-length', String(body.length)]], body };
}
