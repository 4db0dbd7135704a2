import type { Diagnosis } from '../errors.ts';
import { excerptOf } from '../text.ts';
import { diagnosis } from './catalogue-entry.ts';

/** What is seen of an answer that may be a redirect. */
export interface RedirectFacts {
  readonly status: number;
  /** The value of the Location header. */
  readonly location?: string;
  /** Where the request went. */
  readonly url: URL;
}

const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * The diagnosis of a redirect (RFC 9110 15.4), undefined for any other status. Redirects aren't
 * followed: the body may hold secrets, and 301, 302 and 303 would turn the POST into a GET. Of the
 * target only scheme, host and path are told, since a query may hold a session.
 */
export function diagnoseRedirect({ status, location, url }: RedirectFacts): Diagnosis | undefined {
  if (!redirects.has(status)) return undefined;
  const target = readTarget(location, url);
  const where =
    target === undefined ? '' : `to ${excerptOf(target.origin + target.pathname, 120)} `;
  return diagnosis(
    'redirect',
    `The answer redirects ${where}(status ${status}); redirects are not followed.`,
    hintOf(target, url),
  );
}

function readTarget(location: string | undefined, url: URL): URL | undefined {
  return location !== undefined && URL.canParse(location, url.href)
    ? new URL(location, url)
    : undefined;
}

function hintOf(target: URL | undefined, url: URL): string {
  if (target === undefined) return 'Answer at the registered URL itself.';
  if (/\b(?:log-?in|sign-?in|auth|sso)\b/i.test(target.pathname)) {
    return 'Except the path from the login of the framework: the other side has no session.';
  }
  if (target.host === url.host && target.pathname === url.pathname) {
    return `Use the URL with ${target.protocol}//.`;
  }
  if (target.pathname.replace(/\/$/, '') === url.pathname.replace(/\/$/, '')) {
    return 'Use that URL: it differs in the slash at its end or in the host.';
  }
  return 'Use the URL that the redirect leads to, or answer at this one.';
}
