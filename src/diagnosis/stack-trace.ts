import type { Stack } from '../errors.ts';
import { escapeControls } from '../text.ts';

/** What an application wrote about a failure. */
export interface ReportedError {
  /** Exceptions with their messages, and the frames of the application's own files; at most `mostLines`. */
  readonly lines: readonly string[];
  /** Each exception with its frames, that behind the others first; without any, what speaks of a failure, the last first; as many. */
  readonly words: readonly string[];
  /** The exception behind the others with its message, or the last line that speaks of a failure. */
  readonly first: string;
  /** Nothing else is reported in the same lines. */
  readonly isOnly: boolean;
  /** The first frame that isn't a library's, as `app.py:41`. */
  readonly source?: string | undefined;
  readonly stack?: Stack | undefined;
}

const mostLines = 12;
/** Further characters of a line are not searched. */
const searchedLength = 1000;

interface Frame {
  readonly text: string;
  readonly stack: Stack;
  /** Undefined in a file of a library. */
  readonly source: string | undefined;
}

/** An exception, and the frames where it was raised. */
interface Section {
  readonly header: string;
  /** It is the cause of the one before, as "Caused by:" says. */
  readonly isCause: boolean;
  /** The innermost first. */
  readonly frames: Frame[];
}

/**
 * Reads lines of a log, of any language: the first exception that was raised, and its cause. Undefined where no line
 * speaks of a failure.
 */
export function readReportedError(log: readonly string[]): ReportedError | undefined {
  // without `app-1  | ` of docker compose
  const lines = log.map((line) => line.slice(0, searchedLength).replace(/^[\w.-]{1,60} +\| /, ''));
  const sections = sectionsOf(lines);
  const raised = sections.filter(({ frames }) => frames.length > 0);
  const all = raised.length > 0 ? raised : sections;
  const start = Math.max(
    0,
    all.findIndex(({ header }) => !/\bWarning: /.test(header)),
  );
  const length = all.slice(start + 1).findIndex(({ isCause }) => !isCause);
  const trace = all.slice(start, length === -1 ? undefined : start + 1 + length);
  const root = trace.at(-1);
  if (root === undefined) return spokenOf(lines);
  const others = all.filter((section) => !trace.includes(section)).map(({ header }) => header);
  const frames = [root, ...trace].flatMap((section) => section.frames);
  const own = frames.find(({ source }) => source !== undefined);
  const told = trace.flatMap(({ header, frames: seen }) => {
    const raisedIn = seen.filter(({ source, text }) => source !== undefined && text !== header);
    return [header, ...raisedIn.map(({ text }) => `  ${text}`)];
  });
  return {
    lines: [...new Set([...told, ...others])].slice(0, mostLines),
    words: [...new Set([...trace.map(textOf).reverse(), ...others])].slice(0, mostLines),
    first: root.header,
    isOnly: others.every((header) => trace.some((section) => section.header === header)),
    source: own?.source,
    stack: (own ?? frames[0])?.stack,
  };
}

function textOf({ header, frames }: Section): string {
  const own = frames
    .filter(({ source, text }) => source !== undefined && text !== header)
    .map(({ text }) => `\t${text}`);
  const isPython = frames[0]?.stack === 'python';
  return (isPython ? [...own.reverse(), header] : [header, ...own]).join('\n');
}

function sectionsOf(lines: readonly string[]): readonly Section[] {
  const sections: Section[] = [];
  let traceback: Frame[] | undefined;
  for (const [index, line] of lines.entries()) {
    const frame = frameOf(line);
    // Not all of a trace may be there.
    if (frame?.stack === 'python') traceback ??= [];
    if (line.includes('Traceback (most recent call last)')) traceback = [];
    else if (traceback !== undefined) {
      // Python names the exception last, and the frame that raised it just before.
      if (frame !== undefined) traceback.unshift(frame);
      else if (/^\S/.test(line)) {
        sections.push({ header: line.trim(), isCause: false, frames: traceback });
        traceback = undefined;
      }
    } else if (isException(line, frame)) {
      const place = placeOf(line) ?? frame;
      const frames = place === undefined ? [] : [place];
      sections.push({ header: line.trim(), isCause: cause.test(line), frames });
    } else if (frame !== undefined) {
      // A message need not name its exception; Rails leaves a line free behind it.
      if (sections.length === 0) {
        const said = lines.slice(0, index).findLast((before) => before.trim() !== '') ?? '';
        sections.push({ header: said.trim(), isCause: false, frames: [] });
      }
      sections.at(-1)?.frames.push(frame);
    }
  }
  return sections;
}

const exception =
  /\b(?:[A-Z]\w{0,80})?(?:Error|Exception|Throwable)\b|\bpanic: |\bpanic serving |\bPHP (?:Fatal|Parse|Recoverable|Warning)|^(?:Fatal error|Warning): |\bUncaught |\(Errno::[A-Z\d]{1,20}\)$/;
const cause = /^\s*(?:Caused by: |---> |\[cause\]: )/;
/** What is reported beside a failure, and isn't one. */
const noise = /\bDeprecat|\bNotice: |--- End of inner exception/;

/** Ruby names the exception behind the frame that raised it; elsewhere a frame may only be named like one. */
function isException(line: string, frame: Frame | undefined): boolean {
  if (!exception.test(line) || [noise, access, /^\s+at /].some((each) => each.test(line)))
    return false;
  return frame === undefined || / \([A-Z][\w:]{0,80}\)$/.test(line);
}

/** A frame of a language, where the file, its line and, where the file doesn't show it, whose it is are named groups. */
type FrameForm = readonly [stack: Stack, pattern: RegExp, library: RegExp];

const frameForms: readonly FrameForm[] = [
  [
    'python',
    /^\s*File "(?<file>[^"]{1,300})", line (?<line>\d{1,7})/,
    /[\\/](?:site|dist)-packages[\\/]|[\\/]lib(?:64)?[\\/]python\d|[\\/]Lib[\\/]|^<frozen /,
  ],
  [
    'node',
    /^\s*at (?:[^()]{1,300} \()?(?:file:\/\/)?(?<file>[^()\s][^()]{0,300}):(?<line>\d{1,7}):\d{1,7}\)?(?: \{)?$/,
    /[\\/]node_modules[\\/]|^node:/,
  ],
  [
    'java',
    /^\s*at (?:[\w.@$-]{1,80}\/){0,2}(?<whose>[\w$.<>-]{1,300})\((?<file>[\w$-]{1,200}\.(?:java|groovy|scala)):(?<line>\d{1,7})\)/,
    /^(?:javax?|jakarta|jdk|sun|com\.(?:sun|fasterxml|google|zaxxer)|org\.(?:springframework|apache|eclipse|hibernate|bouncycastle|jboss|glassfish)|io\.(?:netty|undertow|vertx|micronaut|quarkus|javalin)|reactor|scala|groovy)\./,
  ],
  [
    'kotlin',
    /^\s*at (?<whose>[\w$.<>-]{1,300})\((?<file>[\w$-]{1,200}\.kt):(?<line>\d{1,7})\)/,
    /^(?:kotlinx?|io\.ktor|okhttp3)\./,
  ],
  ['php', /^\s*#\d{1,4} (?<file>[^(\n]{1,300})\((?<line>\d{1,7})\)/, /[\\/]vendor[\\/]/],
  [
    'go',
    /^\s+(?<file>\S{1,300}\.go):(?<line>\d{1,7})(?: \+0x[0-9a-f]{1,16})?$/,
    /[\\/](?:pkg[\\/]mod|vendor)[\\/]|[\\/]src[\\/](?:runtime|net|crypto|encoding|internal|reflect|sync|bufio|io|os|strconv)[\\/]/,
  ],
  [
    'ruby',
    /^\s*(?:from )?(?<file>[^\s:][^:]{0,300}\.r[bu]):(?<line>\d{1,7}):in [`']/,
    // Rails has the gem in front: "actionpack (6.1.7) lib/...".
    /[\\/]gems[\\/]|[\\/]lib[\\/]ruby[\\/]|^<internal:|^[\w-]{1,80} \(\d[\w.]{0,30}\) /,
  ],
  ['csharp', /^\s*at .{1,300}? in (?<file>.{1,300}?):line (?<line>\d{1,7})$/, /^\/_\//],
];

function frameOf(line: string): Frame | undefined {
  for (const [stack, pattern, library] of frameForms) {
    const groups: Partial<Record<string, string>> = pattern.exec(line)?.groups ?? {};
    const { file, line: number, whose = file } = groups;
    if (file === undefined || whose === undefined) continue;
    const source = library.test(whose) ? undefined : `${nameOf(file)}:${number}`;
    return { text: line.trim(), stack, source };
  }
  return undefined;
}

/** PHP says in the message where it was raised. */
function placeOf(line: string): Frame | undefined {
  const [, file, number] = /\b(?:in|at) (\S{1,300}\.php)(?: on line |:)(\d{1,7})/.exec(line) ?? [];
  if (file === undefined) return undefined;
  const source = /[\\/]vendor[\\/]/.test(file) ? undefined : `${nameOf(file)}:${number}`;
  return { text: line.trim(), stack: 'php', source };
}

function nameOf(file: string): string {
  return escapeControls(file.replace(/^.*[\\/]/, ''));
}

const failure =
  /\b(?:error|fail|invalid|refus|denied|can ?not|can't|could ?n[o']t|unable|unexpected|missing|not found|bad|wrong|mismatch|unsupported|undefined|unknown|fatal)/i;
/** Of a server that writes a line for each request. */
const access = /\b(?:GET|POST|HEAD|PUT)\b.{0,3}\//;
/** As loggers name where they are called: `main.go:41`. */
const caller =
  /(?:^|[\s"[(])([\w./\\-]{1,200}\.(?:go|py|[cm]?[jt]s|java|kt|php|rb|cs)):(\d{1,7})\b/;

/** Lines that only speak of a failure. */
function spokenOf(lines: readonly string[]): ReportedError | undefined {
  const spoken = lines
    .map((line) => line.trim())
    .filter((line) => failure.test(line) && !access.test(line) && !noise.test(line));
  const words = [...new Set(spoken)].slice(-mostLines).reverse();
  const [last] = words;
  if (last === undefined) return undefined;
  const [, file, number] = caller.exec(last) ?? [];
  const source = file && `${file}:${number}`;
  return { lines: words.toReversed(), words, first: last, isOnly: words.length === 1, source };
}
