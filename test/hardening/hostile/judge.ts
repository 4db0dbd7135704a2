import type { ReceivingCommand } from './commands.ts';
import type { Ended } from './ended.ts';
import type { HostileResponse } from './response.ts';

/** The memory that no run may pass. */
const maxPeakBytes = 300 * 1024 * 1024;

/** How long the start, the end and a busy machine may take beside the time limit of the requests. */
const graceMs = 25_000;

/** A probe sends eighty requests where others send one or two. */
const probeFactor = 4;

/** C0 without line feed, DEL, C1, bidirectional controls, separators, marks. */
const unsafe = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/u;

/** What the spinner begins each of its pictures with. */
const lineAnew = '\r\u001b[2K';

/** What is wrong with how a command ended, whatever it printed. */
export function judgeEnding(
  ended: Ended,
  response: HostileResponse,
  command: ReceivingCommand,
): readonly string[] {
  const { exits } = command.mayEnd(response.ending);
  const { status, durationMs, peakBytes = 0 } = ended;
  return [
    ...(status === null ? ['it hung'] : []),
    ...(status === null || exits.includes(status)
      ? []
      : [`exit ${status}, not ${exits.join(' or ')}`]),
    ...(durationMs > graceMs * (command.name === 'cipher probe' ? probeFactor : 1)
      ? [`it took ${Math.round(durationMs)} ms`]
      : []),
    ...(peakBytes > maxPeakBytes ? [`${Math.round(peakBytes / 2 ** 20)} MB of memory`] : []),
    ...['stdout', 'stderr'].flatMap((name) => judgeText(name, ended[name as 'stdout' | 'stderr'])),
  ];
}

/** Text for a terminal has no control character but the line feed, and is UTF-8. */
function judgeText(name: string, bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes).toString('utf8');
  const shown = text.replaceAll(lineAnew, '');
  const found = unsafe.exec(shown);
  const around = JSON.stringify(shown.slice(Math.max(0, (found?.index ?? 0) - 60)).slice(0, 100));
  return [
    ...(found ? [`a control character on ${name}: ${around}`] : []),
    ...(Buffer.from(text).equals(bytes) ? [] : [`${name} is no UTF-8`]),
  ];
}

/** Under --json standard output is one document, which agrees with the exit status. */
export function judgeJson(
  ended: Ended,
  response: HostileResponse,
  command: ReceivingCommand,
): readonly string[] {
  const text = Buffer.from(ended.stdout).toString('utf8');
  const document = parse(text);
  if (document === undefined) return [`no JSON document: ${JSON.stringify(text.slice(0, 100))}`];
  const { code } = command.mayEnd(response.ending);
  const seen = document.error?.code;
  return [
    ...(document.ok === (ended.status === 0) ? [] : ['ok contradicts the exit status']),
    ...(document.command === command.name ? [] : [`the command is ${document.command}`]),
    ...((seen === undefined) === (ended.status === 0) ? [] : ['error contradicts the exit status']),
    ...(seen === 'internal' ? [`a bug: ${document.error?.message}`] : []),
    ...(code === undefined || seen === code || ended.status === 0
      ? []
      : [`${seen}, not ${code}: ${document.error?.message}`]),
  ];
}

interface Document {
  readonly ok: boolean;
  readonly command: string;
  readonly error?: { readonly code: string; readonly message: string };
}

function parse(text: string): Document | undefined {
  try {
    return JSON.parse(text) as Document;
  } catch {
    return undefined;
  }
}
