import { AuthcliError } from '../errors.ts';
import { type Headers, headerOf, type WireRequest } from './exchange.ts';

/** Headers that frame the message: the transport writes those, so that no request is ambiguous. */
export const framing =
  /^(?:content-length|transfer-encoding|connection|keep-alive|upgrade|expect|proxy-connection)$/i;

/**
 * Checks the headers that the user adds to every request; a value, perhaps a secret, is not repeated.
 * @throws AuthcliError `usage` for what no header can carry (RFC 9110 5.5, 5.6.2), or what frames the message
 */
export function checkUserHeaders(headers: Headers): void {
  const refuse = (message: string, hint: string) => new AuthcliError('usage', message, { hint });
  for (const [name, value] of headers) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      const hint = 'A header name has letters, digits and hyphens, such as X-Api-Key.';
      throw refuse(`"${name.slice(0, 60)}" is not a header name.`, hint);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      const message = `The value of the header ${name} has a character that a header can't carry.`;
      throw refuse(message, 'Leave out line breaks, and percent-encode letters outside Latin-1.');
    }
    if (framing.test(name)) {
      const hint = 'Leave it out; the connection and the length of the body decide it.';
      throw refuse(`The header ${name} is set by authcli itself.`, hint);
    }
  }
}

/** Headers that have fixed places, whoever gave them. */
const placed = /^(?:host|connection|content-length)$/i;

/**
 * The request exactly as it goes out: `host` and `connection` first, `content-length` last, as the
 * transport writes them (RFC 9112 3.2, 6.2; the case is the wire's).
 */
export function asSent(request: WireRequest, own: Headers): WireRequest {
  const replaced = new Set(own.map(([name]) => name.toLowerCase()));
  const defaults = request.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  const merged = [...defaults, ...own];
  const host = headerOf(merged, 'host') ?? request.url.host;
  const rest = merged.filter(([name]) => !placed.test(name));
  const headers: Headers = [['host', host], ['connection', 'keep-alive'], ...rest];
  if (request.method !== 'POST') return { ...request, headers };
  return { ...request, headers: [...headers, ['content-length', String(request.body.length)]] };
}
