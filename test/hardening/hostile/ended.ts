import { spawn } from 'node:child_process';
import { bin } from '../../support/program.ts';
import { run } from '../../support/run.ts';
import type { ReceivingCommand } from './commands.ts';
import type { HostileResponse } from './response.ts';

/** What one run of a command left behind. */
export interface Ended {
  /** The exit status; null where it had to be killed. */
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** The most memory that was resident, in bytes; 0 for a run in this process. */
  readonly peakBytes: number;
}

/** Nothing may take longer than this, however busy the machine is. */
const hangsAfterMs = 240_000;

/** The memory that no run may pass. */
const maxPeakBytes = 300 * 1024 * 1024;

/** Loaded before the program: writes on descriptor 3, as it ends, what the system counted. */
const meter = `import { readFileSync, writeSync } from 'node:fs';
process.on('exit', () => writeSync(3, readFileSync('/proc/self/status')));`;

/** Runs the installed program as a process of its own, under the Node of this one. */
export async function runProcess(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const measured =
    process.platform === 'linux' ? ['--import', `data:text/javascript,${meter}`] : [];
  const child = spawn(process.execPath, [...measured, bin, ...argv], {
    env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: hangsAfterMs,
    killSignal: 'SIGKILL',
  });
  const written: Buffer[][] = [[], [], [], []];
  for (const [descriptor, chunks] of written.entries())
    child.stdio[descriptor]?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const status = await new Promise<number | null>((done) => child.on('close', done));
  const [, stdout, stderr, counted] = written.map((chunks) => Buffer.concat(chunks));
  const [, kilobytes = 0] = /^VmHWM:\s*(\d+) kB$/m.exec(String(counted)) ?? [];
  const [none, peakBytes] = [Buffer.alloc(0), Number(kilobytes) * 1024];
  return { status, stdout: stdout ?? none, stderr: stderr ?? none, peakBytes };
}

/** Runs a command in this process. */
export async function runHere(
  argv: readonly string[],
  configFile: string,
  isTerminal = false,
): Promise<Ended> {
  const { status, stdout, stderr } = await run(argv, { configFile, isTerminal });
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)];
  return { status, stdout: out, stderr: err, peakBytes: 0 };
}

/** C0 without line feed, DEL, C1, bidirectional controls, separators, marks. */
const unsafe = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]/u;

/** What the spinner begins each of its pictures with. */
const lineAnew = '\r\u001b[2K';

/** What is wrong with how a command ended that got the response. */
export function judge(
  ended: Ended,
  { ending }: Pick<HostileResponse, 'ending'>,
  command: Pick<ReceivingCommand, 'name' | 'mayEnd'>,
  isJson: boolean,
): readonly string[] {
  const { exits } = command.mayEnd(ending);
  const { status, peakBytes } = ended;
  const problems: readonly (readonly [boolean, string])[] = [
    [status === null, 'it hung'],
    [status !== null && !exits.includes(status), `exit ${status}, not ${exits.join(' or ')}`],
    [peakBytes > maxPeakBytes, `${Math.round(peakBytes / 2 ** 20)} MB of memory`],
    ...[ended.stdout, ended.stderr].flatMap((bytes) => {
      const text = bytes.toString('utf8');
      const shown = text.replaceAll(lineAnew, '');
      const at = shown.search(unsafe);
      const around = JSON.stringify(shown.slice(Math.max(0, at - 60), at + 40));
      const isUtf8 = Buffer.from(text).equals(bytes);
      return [
        [at >= 0, `a control character: ${around}`] as const,
        [!isUtf8, 'not UTF-8'] as const,
      ];
    }),
    ...(isJson ? judgeJson(ended, command.mayEnd(ending).code, command.name) : []),
  ];
  return problems.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}

/** Standard output is one document, which agrees with the exit status. */
function judgeJson({ status, stdout }: Ended, code: string | undefined, command: string) {
  const text = stdout.toString('utf8');
  try {
    const document = JSON.parse(text);
    const { code: seen, message } = document.error ?? {};
    const isGood = status === 0;
    return [
      [document.ok !== isGood, 'ok contradicts the exit status'],
      [document.command !== command, `the command is ${document.command}`],
      [(seen === undefined) !== isGood, 'error contradicts the exit status'],
      [seen === 'internal', `a bug: ${message}`],
      [code !== undefined && seen !== code && !isGood, `${seen}, not ${code}: ${message}`],
    ] as const;
  } catch {
    return [[true, `no JSON document: ${JSON.stringify(text.slice(0, 100))}`]] as const;
  }
}
