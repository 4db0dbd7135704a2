import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Secret } from '../../crypto/secret.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { type CapturedExchange, jsonOf } from '../../relay/capture.ts';
import { isRecordingHeader, readRecording } from '../../relay/recording.ts';
import { type Line, linesOf, textOfLine } from '../../relay/sources/lines.ts';
import { excerptOf } from '../../text.ts';
import { list } from '../args/options.ts';
import { quote } from '../args/values.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';

/** The files of a command that reads traffic. */
export const trafficFilesFlag = list('<file...>', 'recordings, as relay --record writes them', {
  input: 'path',
});

/**
 * The exchanges of files, one after another; the secrets that they contain are hidden from then on.
 * @throws AuthcliError `usage`, naming the file, for one that can't be read or contains no traffic
 */
export async function* exchangesOf(
  paths: readonly string[],
  session: Session,
): AsyncGenerator<CapturedExchange> {
  for (const path of paths) {
    for await (const exchange of exchangesIn(path, session)) {
      hideSecrets(exchange, session);
      const source = paths.length > 1 ? `${path} ${exchange.source}` : exchange.source;
      yield { ...exchange, source };
    }
  }
}

async function* exchangesIn(path: string, session: Session): AsyncGenerator<CapturedExchange> {
  const lines = withFirst(linesOf(createReadStream(resolve(session.context.cwd, path))));
  try {
    const first = await lines.first;
    if (first === undefined || !isRecordingHeader(textOfLine(first)))
      throw noRecording(path, first);
    yield* readRecording(lines.all, session.note);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw usage(`${quote(path)} can't be read: ${error.message}.`, 'Check the name of the file.');
  }
}

/** The first line before all of them. */
function withFirst(lines: AsyncGenerator<Line>) {
  const first = lines.next().then(({ value }) => value as Line | undefined);
  async function* all(): AsyncGenerator<Line> {
    const line = await first;
    if (line !== undefined) yield line;
    yield* lines;
  }
  return { first, all: all() };
}

function noRecording(path: string, first: Line | undefined): Error {
  const begins =
    first === undefined
      ? 'it is empty'
      : `it begins with ${quote(excerptOf(textOfLine(first), 40))}`;
  return usage(
    `${quote(path)} is not a recording: ${begins}.`,
    'Give a file that `authcli relay --record FILE` wrote.',
  );
}

const secretFields = ['secret_key', 'ptn_token', 'acs_token'];

function hideSecrets({ key, request, response }: CapturedExchange, { secrets }: Session): void {
  if (key !== undefined) secrets.addFromPeer(key);
  const { result } = jsonOf(response);
  const fields = { ...jsonOf(request), ...(isJsonObject(result) && result) };
  for (const name of secretFields) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') secrets.addFromPeer(Secret.text(value));
  }
}
