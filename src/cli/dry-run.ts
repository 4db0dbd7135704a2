import { decodeUtf8 } from '../bytes.ts';
import { headerOf, type WireRequest } from '../client/exchange.ts';
import type { Outcome } from './command.ts';
import type { Session } from './session.ts';

/** What --dry-run shows: the requests as they would be sent; nothing is sent and nothing changed. */
export function dryRun(
  requests: readonly WireRequest[],
  ptnCd: string,
  { style }: Session,
): Outcome {
  const shown = requests.map(({ method, url, headers, body }) => ({
    method,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: JSON.parse(decodeUtf8(body) ?? 'null') as unknown,
  }));
  return {
    fields: { dry_run: true, ptn_cd: ptnCd, requests: shown },
    lines: [
      ...requests.flatMap(({ method, url, headers }, index) => [
        style.bold(`${method} ${url.href}`),
        `Content-type: ${headerOf(headers, 'content-type')}`,
        '',
        JSON.stringify(shown[index]?.body, null, 2),
        '',
      ]),
      'Nothing was sent.',
    ],
  };
}
