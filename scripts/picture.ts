/**
 * Draws docs/verify.svg, the picture of the README, from two real runs of the built program: a
 * faulty application and a right one. `npm run picture`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const columns = 104;
const [charWidth, lineHeight, margin] = [7.85, 19, 16];

/** What the program prints against an application with that fault, or with none. */
function linesOf(fault: string | undefined): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-picture-'));
  const program = [process.execPath, 'bin/authcli.js'];
  const verify = [...program, 'verify', '--check', 'key-exchange', '--stack', 'java'];
  const emulate = ['emulate', 'app', ...(fault === undefined ? [] : ['--fault', fault])];
  // Without npm_command, commands begin with authcli also where npm runs this.
  const { npm_command: _, ...inherited } = process.env;
  const env = { ...inherited, AUTHCLI_CONFIG: join(folder, 'config.json') };
  try {
    const argv = [...program.slice(1), ...emulate, '--', ...verify];
    return execFileSync(process.execPath, argv, { encoding: 'utf8', env, stdio: 'pipe' }).split(
      '\n',
    );
  } catch (error) {
    return String((error as { stdout?: string }).stdout).split('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lines to show: the group of checks, the failure as far as the call, the verdict. */
export function picturedLines(): readonly string[] {
  const failing = linesOf('oaep-sha1');
  const fixed = linesOf(undefined);
  const url = 'https://shop.example.com/callback';
  const group = (lines: readonly string[]) => lines.slice(1, 2);
  const start = failing.findLastIndex((line) => line.startsWith('✗ key-exchange/'));
  const fault = failing.slice(start).filter((line) => !/^ {4}(?:curl|authcli) /.test(line));
  const end = fault.indexOf('');
  return [
    `$ authcli verify --url ${url} --stack java`,
    ...group(failing),
    '',
    ...fault.slice(0, end),
    verdictOf(failing),
    '',
    `$ authcli verify --url ${url}   # after the change`,
    ...group(fixed),
    verdictOf(fixed),
  ].map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line));
}

function verdictOf(lines: readonly string[]): string {
  return lines.findLast((line) => /^[✓✗] /.test(line)) ?? '';
}

/** The picture; its colours follow those of the reader's system. */
export function picture(lines: readonly string[]): string {
  const width = Math.ceil(columns * charWidth) + 2 * margin;
  const height = lines.length * lineHeight + 2 * margin;
  const texts = lines.map((line, index) => {
    const y = margin + (index + 0.75) * lineHeight;
    return `<text x="${margin}" y="${y}" class="${kindOf(line)}">${marked(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>authcli verify, failing and fixed</title>
<style>
rect { fill: #f6f8fa; stroke: #d0d7de }
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
.command { font-weight: 600 } .good { fill: #116329 } .bad { fill: #a40e26 }
@media (prefers-color-scheme: dark) {
rect { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 } .good { fill: #56d364 } .bad { fill: #ff7b72 }
}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.join('\n')}
</svg>
`;
}

function kindOf(line: string): string {
  if (line.startsWith('$')) return 'command';
  return /^[✓✗] /.test(line) ? toneOf(line) : 'plain';
}

function toneOf(text: string): string {
  return text.includes('✗') ? 'bad' : 'good';
}

/** The marks of single checks have their colour, too. */
function marked(line: string): string {
  const escaped = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replace(/^( {2})([✓✗])/, (_, indent, mark: string) => {
    return `${indent}<tspan class="${toneOf(mark)}">${mark}</tspan>`;
  });
}

if (import.meta.filename === process.argv[1])
  writeFileSync('docs/verify.svg', picture(picturedLines()));
