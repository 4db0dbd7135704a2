import { spawnSync } from 'node:child_process';

const chromium = 'chromium-headless-shell --version || chromium --version';

/** What each folder of `test/interop/` needs, as a command that succeeds where it is installed. */
const programs: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  openssl: ['openssl', 'version'],
  curl: ['curl', '--version'],
  java: ['sh', '-c', 'javac -version && test -e /usr/share/java/gson.jar'],
  go: ['go', 'version'],
  python: ['python3', '-c', 'import cryptography, requests'],
  flask: ['python3', '-c', 'import cryptography, flask'],
  django: ['python3', '-c', 'import cryptography, django'],
  express: ['node', '--version'],
  php: ['php', '-r', 'exit(extension_loaded("curl") && extension_loaded("openssl") ? 0 : 1);'],
  ruby: ['ruby', '-e', 'require "minitest"; require "openssl"; require "webrick"'],
  rails: ['ruby', '-e', 'require "action_controller/railtie"; require "webrick"'],
  junit: [
    'sh',
    '-c',
    'javac -version && test -e /usr/share/java/gson.jar -a -e /usr/share/java/junit-platform-console-standalone.jar',
  ],
  pytest: ['python3', '-c', 'import cryptography, pytest'],
  phpunit: ['phpunit', '--version'],
  tls: ['sh', '-c', `javac -version && python3 --version && curl --version && (${chromium})`],
  node: ['node', '--version'],
  chromium: ['sh', '-c', chromium],
  bash: ['bash', '-c', '((BASH_VERSINFO[0] >= 4))'],
  zsh: ['zsh', '--version'],
  fish: ['fish', '--version'],
  mandoc: ['mandoc', '/dev/null'],
};

/** The program that a test file needs, if any. */
export function programOf(file: string): string | undefined {
  return /^test\/interop\/([^/]+)\//.exec(file)?.[1];
}

/** Which programs of the test files aren't installed. */
export function missingPrograms(files: readonly string[]): readonly string[] {
  const needed = new Set(files.map(programOf).filter((name) => name !== undefined));
  return [...needed].filter((name) => !isInstalled(name));
}

function isInstalled(name: string): boolean {
  const program = programs[name];
  if (program === undefined) {
    throw new Error(`test/interop/${name} needs a program that scripts/test/programs.ts lacks.`);
  }
  const [command, ...args] = program;
  return spawnSync(command, args).status === 0;
}

/**
 * Why a table leaves out the tests of a program: it isn't installed. False where it is.
 * @throws {Error} where AUTHCLI_REQUIRE_PROGRAMS asks for every program
 */
export function notInstalled(name: string): string | false {
  if (isInstalled(name)) return false;
  if (process.env.AUTHCLI_REQUIRE_PROGRAMS) throw new Error(`${name} is not installed.`);
  return `${name} is not installed`;
}
