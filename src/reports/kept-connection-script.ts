import type { SentCallback } from '../explore/execute.ts';
import { wordsOf } from './explore-script-requests.ts';

/** A request over the kept connection: words of the shell. */
export interface KeptRequest {
  readonly number: number;
  readonly url: string;
  readonly headers: string;
}

/**
 * Starts the one curl that sends the requests of a script over one connection. It takes the body of each from a pipe,
 * which it opens once the response before is complete; `bodyBytes` is the length of every body, the rest of which are blanks.
 */
export function keptConnectionStart(
  requests: readonly KeptRequest[],
  bodyBytes: number,
): readonly string[] {
  // Without a length, curl would send chunks, which some servers do not read.
  const framing = `-H Expect: -H Transfer-Encoding: -H 'Content-Length: ${bodyBytes}'`;
  const parts = requests.map(
    ({ number, url, headers }) =>
      `-sS -X POST ${url} ${headers} ${framing} -T "$dir/body_${number}" -o "$dir/${number}" "$@"`,
  );
  return [
    '# One curl sends all requests over one connection. It opens the pipe with a body once the response before is there.',
    'command -v curl > /dev/null || { echo "Install curl." >&2; exit 2; }',
    `mkfifo ${requests.map(({ number }) => `"$dir/body_${number}"`).join(' ')}`,
    `curl ${parts.join(' \\\n  --next ')} &`,
    'kept=$!',
    `trap 'kill "$kept" 2> /dev/null; rm -rf "$dir"' EXIT`,
    "trap 'exit 130' INT TERM",
    'send_kept() { # BODY',
    `  { printf %s "$1"; printf %${bodyBytes}s ''; } | head -c ${bodyBytes} >&3`,
    '  exec 3>&-',
    '}',
    ...opened(requests[0]),
  ];
}

/** Sends one of them, and waits for its response. */
export function keptRequestLines(body: string, next: KeptRequest | undefined): readonly string[] {
  return [`send_kept ${body}`, ...opened(next)];
}

function opened(request: KeptRequest | undefined): readonly string[] {
  return [request === undefined ? 'wait "$kept"' : `exec 3> "$dir/body_${request.number}"`];
}

/** The requests that share a connection, and how long their bodies become; undefined where curl would change an address. */
export function keptRequests(
  sent: readonly SentCallback[],
): { readonly requests: readonly KeptRequest[]; readonly bodyBytes: number } | undefined {
  const kept = [...sent.entries()].filter(([, { step }]) => !step.fresh);
  // curl appends the name of a file that it uploads to such an address.
  if (kept.some(([, { built }]) => built.request.url.pathname.endsWith('/'))) return undefined;
  const longest = Math.max(...kept.map(([, { built }]) => built.request.body.length));
  return {
    requests: kept.map(([index, step]) => ({ number: index + 1, ...wordsOf(step, []) })),
    // User codes and payloads of a script may be longer than those that were sent.
    bodyBytes: 1024 * Math.ceil(longest / 1024 + 1),
  };
}
