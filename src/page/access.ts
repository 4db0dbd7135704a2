import { createHash } from 'node:crypto';
import { sameText } from '../bytes.ts';
import { isForwarded } from '../emulator/control.ts';
import type { EmulatorRequest } from '../emulator/http.ts';
import { isLoopbackHost } from '../protocol/endpoints.ts';

/** The prefix of the page's paths, followed by the token. */
export const pagePrefix = '/_authcli/ui/';

/**
 * The path behind the token, or the reason of a refusal. Browsers send `Origin`, so the rule of the
 * other control paths (none) can't apply:
 *
 * - the peer is loopback
 * - `Host` is exactly the page's, against DNS rebinding
 * - `Origin`, if present, is exactly the page's; requests that change something must send it
 * - requests of other sites (`Sec-Fetch-Site`) get only the page itself, by a link
 * - the token of this run is compared in constant time; a cookie would be sent by other pages, too
 *
 * @param page its only origin, `http://127.0.0.1:8080`, and the unguessable token in its address
 */
export function enterPage(
  request: EmulatorRequest,
  { origin, token }: { readonly origin: string; readonly token: string },
): { readonly path: string } | { readonly refused: string } {
  const { peer, headers, method } = request;
  const [given = '', ...rest] = request.path.slice(pagePrefix.length).split('/');
  const path = rest.join('/');
  if (peer === undefined || !isLoopbackHost(peer))
    return { refused: 'The page is available only on this machine.' };
  if (headers.host !== new URL(origin).host) {
    return { refused: `Open the page as ${origin}: it is not available under another name.` };
  }
  const changes = method !== 'GET';
  if (headers.origin === undefined ? changes : headers.origin !== origin) {
    return { refused: 'Requests from other pages are refused.' };
  }
  if (isForwarded(headers)) return { refused: 'The page does not answer through a proxy.' };
  const site = headers['sec-fetch-site'];
  const isOpened = path === '' && !changes && headers['sec-fetch-dest'] === 'document';
  if (site !== undefined && site !== 'same-origin' && !isOpened) {
    return { refused: 'Requests from other sites are refused.' };
  }
  return sameText(given, token)
    ? { path }
    : {
        refused:
          'This address belongs to another run. Open the one that the emulator printed last.',
      };
}

/** Of every response: no storing, framing, sniffing, or referrer. */
export const quietHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/**
 * The Content Security Policy of the page: its own script and style by their hashes (CSP Level 3,
 * 2.3.1), connections to its own origin, nothing else. No text can become markup (Trusted Types).
 */
export function pagePolicy(html: string): string {
  const hashes = (tag: string): string =>
    [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      .join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes('script')}`,
    `style-src ${hashes('style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
