import { createHash } from 'node:crypto';
import { constantTimeEqual } from '../bytes.ts';
import { isLoopback } from '../emulator/control-access.ts';
import type { EmulatorRequest } from '../emulator/http.ts';

/** What a request for the page has to fit. */
export interface PageDoor {
  /** The only origin that the page has: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Unguessable; it stands in the page's address. */
  readonly token: string;
}

/** The page and what it asks for stand below this, then comes the token. */
export const pagePrefix = '/_authcli/ui/';

/** Why a request is not answered, for the status 403. */
export type PageRefusal = string;

/**
 * The path behind the token, or why there is none. The page is a browser, so that the rule of the
 * other control paths (no `Origin`) can't be its own:
 *
 * - the peer is loopback
 * - `Host` is exactly the page's: a name that was made to point here (DNS rebinding) is another
 * - `Origin`, where it is there, is exactly the page's; whatever changes something has to send it
 * - what a browser marks as asked by another site (`Sec-Fetch-Site`) gets nothing but, by a link, the page
 * - the token of this run, compared in constant time: no cookie, so that nothing comes along by itself
 */
export function enterPage(
  request: EmulatorRequest,
  { origin, token }: PageDoor,
): { readonly path: string } | { readonly refused: PageRefusal } {
  const { peer, headers, method } = request;
  const [given = '', ...rest] = request.path.slice(pagePrefix.length).split('/');
  const path = rest.join('/');
  if (peer === undefined || !isLoopback(peer)) return { refused: 'The page is for this machine.' };
  if (headers.host !== new URL(origin).host) {
    return { refused: `The page is to be opened as ${origin}, by no other name.` };
  }
  const changes = method !== 'GET';
  if (headers.origin === undefined ? changes : headers.origin !== origin) {
    return { refused: 'The page does not answer to other pages.' };
  }
  const site = headers['sec-fetch-site'];
  const isOpened = path === '' && !changes && headers['sec-fetch-dest'] === 'document';
  if (site !== undefined && site !== 'same-origin' && !isOpened) {
    return { refused: 'The page does not answer to other sites.' };
  }
  return isSame(given, token)
    ? { path }
    : { refused: 'This address is of another run. Open the one that the emulator printed now.' };
}

/** Digests are compared, so that not even the length can be told from the time. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return constantTimeEqual(digest(left), digest(right));
}
