import type { Diagnosis } from '../errors.ts';
import { byteCount, excerptOf } from '../text.ts';
import { diagnosis } from './diagnosis.ts';

interface TooLargeFacts {
  /** The number of bytes that Content-Length announces. */
  readonly announced?: number;
  /** The content coding under which it passed the limit. */
  readonly inflated?: string;
}

/** The diagnosis of a body of more than `limit` bytes. */
export function bodyTooLarge(limit: number, { announced, inflated }: TooLargeFacts): Diagnosis {
  const size = byteCount(limit);
  const seen =
    inflated !== undefined
      ? `The body of the response exceeds ${size} once its ${inflated} is decoded`
      : announced !== undefined && announced > limit
        ? `The response announces a body of ${announced} bytes, more than the limit of ${size}`
        : `The body of the response is larger than ${size}`;
  return diagnosis(
    'body-too-large',
    `${seen}.`,
    'A response of this interface is a few hundred bytes: check what else is written to it.',
  );
}

/** The diagnosis of a Content-Encoding that can't be undone. */
export function unknownEncoding(name: string): Diagnosis {
  return diagnosis(
    'not-json',
    `The body of the response has the Content-Encoding "${excerptOf(name, 40)}", which authcli does not support.`,
    `${withoutEncoding} gzip, deflate and br are supported.`,
  );
}

const withoutEncoding = 'Send the JSON without a Content-Encoding: none was requested.';

/** The most content codings that are undone; no server applies more than one on purpose. */
export const maxCodings = 5;

/** The diagnosis of a Content-Encoding of more codings than are undone. */
export function tooManyEncodings(count: number): Diagnosis {
  return diagnosis(
    'not-json',
    `The Content-Encoding of the response lists ${count} codings; authcli decodes ${maxCodings} at most.`,
    `${withoutEncoding} Check for filters that each compress the response.`,
  );
}

/** The diagnosis of a body that is not what its Content-Encoding says. */
export function brokenEncoding(name: string): Diagnosis {
  return diagnosis(
    'not-json',
    `The response has Content-Encoding: ${name}, and its body is not a complete ${name} stream.`,
    'Check that the body is compressed exactly once and completely, and that the header is only sent in that case.',
  );
}

interface RedirectFacts {
  readonly status: number;
  /** The value of the Location header. */
  readonly location?: string;
  /** Where the request went. */
  readonly url: URL;
}

const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * The diagnosis of a redirect (RFC 9110 15.4), undefined for any other status. Redirects aren't
 * followed: the body may contain secrets, and 301, 302 and 303 would turn the POST into a GET. The
 * query of the target may contain a session, so it is not shown.
 */
export function diagnoseRedirect({ status, location, url }: RedirectFacts): Diagnosis | undefined {
  if (!redirects.has(status)) return undefined;
  const isUrl = location !== undefined && URL.canParse(location, url.href);
  const target = isUrl ? new URL(location, url) : undefined;
  const where =
    target === undefined ? '' : `to ${excerptOf(target.origin + target.pathname, 120)} `;
  return diagnosis(
    'redirect',
    `The response redirects ${where}(status ${status}); redirects are not followed.`,
    hintOf(target, url),
  );
}

function hintOf(target: URL | undefined, url: URL): string {
  if (target === undefined) return 'Respond at the registered URL itself, without a redirect.';
  if (/\b(?:log-?in|sign-?in|auth|sso)\b/i.test(target.pathname)) {
    return "Exempt the path from the framework's login: the service has no session.";
  }
  if (target.host === url.host && target.pathname === url.pathname) {
    return `Use the URL with ${target.protocol}//.`;
  }
  if (target.pathname.replace(/\/$/, '') === url.pathname.replace(/\/$/, '')) {
    return 'Use that URL: it differs in the trailing slash or in the host.';
  }
  return 'Use the URL that the redirect leads to, or respond at this one.';
}

/** " (status 200)"; empty where the status isn't known (0). */
export function statusText(status: number): string {
  return status === 0 ? '' : ` (status ${status})`;
}

const hints: Readonly<Record<number, string>> = {
  204: 'Status 204 has no body: respond with 200 and the JSON object.',
  304: 'Status 304 has no body: turn off caching and conditional responses for this path.',
  400: 'The framework refused the request before it reached the handler: check its log.',
  401: 'Something in front asks for a login: exempt this path from it, since the service has no session.',
  403: 'Something in front refuses the request: exempt this path from login, CSRF protection and IP filters.',
  404: 'Nothing responds at this path: check the URL, the route and the prefix of the application.',
  405: "The route exists but doesn't accept POST: both callbacks are POST requests.",
  406: 'The framework found no way to write the response: let the handler produce application/json.',
  411: 'The server requires a Content-Length, which every request has: check the proxy in between.',
  413: "The server's request size limit is too small for a callback: raise the limit.",
  415: "The handler doesn't accept application/json;charset=utf-8: make it consume JSON.",
  419: 'CSRF protection refused the request: exempt this path from it.',
  422: "The framework refused the request's fields before they reached the handler.",
  429: 'Something in front limits the request rate: exempt this path from it.',
  500: 'The application failed: find the stack trace in its log at that time.',
  502: 'A proxy responded because the application behind it closed the connection: check its log.',
  503: "A proxy responded because the application isn't running: start it, or wait until it is up.",
  504: 'A proxy responded because the application took too long: check what its handler is waiting for.',
};

/** What an HTTP status says of a response without JSON; undefined where it says nothing. */
export function hintOfStatus(status: number): string | undefined {
  return hints[status] ?? (status >= 500 ? hints[500] : undefined);
}
