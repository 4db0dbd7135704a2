/**
 * Runs the tests: `npm test`, or `npm test -- PART` for the files whose path holds PART.
 *
 * `--node FILE` runs them under another Node, `--tap FILE` writes the results there as well. Globs
 * of `node --test` exist only from Node 21 on, so the files are listed here. Tests against other
 * programs (`test/interop/TOOL/`) run where the program is installed; with CI set it must be.
 * `--without-programs` leaves them out, but for those that try Node itself and its cryptography: to
 * browsers, shells and applications in other languages it is all one which Node answers them.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** What each folder of `test/interop/` needs, as a command that succeeds where it is there. */
const tools: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  openssl: ['openssl', 'version'],
  curl: ['curl', '--version'],
  java: ['sh', '-c', 'javac -version && test -e /usr/share/java/gson.jar'],
  go: ['go', 'version'],
  python: ['python3', '-c', 'import cryptography'],
  php: ['php', '-r', 'exit(extension_loaded("openssl") ? 0 : 1);'],
  node: ['node', '--version'],
  chromium: ['chromium', '--version'],
  bash: ['bash', '-c', '((BASH_VERSINFO[0] >= 4))'],
  zsh: ['zsh', '--version'],
  fish: ['fish', '--version'],
  mandoc: ['mandoc', '/dev/null'],
};

/** Those whose other side is Node, or the OpenSSL that is in it. */
const ofEachNode: ReadonlySet<string> = new Set(['openssl', 'node']);

const { values, positionals } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    tap: { type: 'string' },
    'without-programs': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const installed = new Map<string, boolean>();

function canRun(file: string): boolean {
  const tool = /^test\/interop\/([^/]+)\//.exec(file)?.[1];
  if (tool === undefined) return true;
  if (values['without-programs'] && !ofEachNode.has(tool)) return false;
  if (!installed.has(tool)) installed.set(tool, isInstalled(tool));
  return installed.get(tool) === true;
}

function isInstalled(tool: string): boolean {
  const [command = tool, ...args] =
    tools[tool] ?? fail(`test/interop/${tool} needs a tool that scripts/test.ts doesn't name.`);
  if (spawnSync(command, args).status === 0) return true;
  const needed = `test/interop/${tool} needs \`${[command, ...args].join(' ')}\` to succeed`;
  if (process.env.CI) fail(`${needed}.`);
  process.stdout.write(`${needed}: left out here, .ci/run installs it.\n`);
  return false;
}

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
  .sort()
  .filter(canRun);

if (files.length === 0) fail(`No test file matches ${positionals.join(', ')}.`);

// Left to itself Node keeps one core free, which is half of a machine with two.
const concurrency = `--test-concurrency=${availableParallelism()}`;

// What a failed test leaves running, such as a server, would keep its file from ending.
const timeout = '--test-timeout=600000';

/** What this Node needs to run TypeScript: nothing from 22.18 on, which is a quarter faster than tsx. */
function readsTypeScript(node: string): readonly string[] {
  const { stdout } = spawnSync(node, ['-p', 'process.features.typescript'], { encoding: 'utf8' });
  return stdout.trim() === 'strip'
    ? ['--disable-warning=ExperimentalWarning']
    : ['--import', 'tsx'];
}

const reporters = [
  `--test-reporter=${process.stdout.isTTY ? 'spec' : 'dot'}`,
  '--test-reporter-destination=stdout',
  ...(values.tap === undefined
    ? []
    : ['--test-reporter=tap', `--test-reporter-destination=${values.tap}`]),
];
const { status } = spawnSync(
  values.node,
  [...readsTypeScript(values.node), '--test', concurrency, timeout, ...reporters, ...files],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
