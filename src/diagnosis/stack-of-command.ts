import type { Stack } from '../errors.ts';

/** The programs of a language, and the endings of the files that they run. */
const signs: readonly (readonly [stack: Stack, programs: RegExp, files: RegExp])[] = [
  ['python', /^(?:python|py|pypy|ipython|uvicorn|gunicorn|flask|django-admin|hypercorn)$/, /\.py$/],
  ['node', /^(?:node|nodejs|npm|npx|yarn|pnpm|bun|deno|tsx|ts-node|nodemon)$/, /\.[cm]?[jt]s$/],
  ['kotlin', /^(?:kotlin|kotlinc)$/, /\.kts?$/],
  ['java', /^(?:java|javaw|mvn|mvnw|gradle|gradlew|jbang)$/, /\.(?:jar|war|java)$/],
  ['php', /^(?:php|php-fpm|artisan|composer|frankenphp)$/, /\.php$/],
  ['go', /^go$/, /\.go$/],
  ['csharp', /^dotnet$/, /\.(?:dll|csproj|cs)$/],
  ['ruby', /^(?:ruby|rails|rake|bundle|rackup|puma|jruby)$/, /\.(?:rb|ru)$/],
];

/** Only the beginning of a command line names what runs. */
const mostWords = 20;

/** The language of the application that a command runs, by the first of its words that shows one. */
export function stackOfCommand(words: readonly string[]): Stack | undefined {
  const first = words.flatMap((word) => word.split(/\s+/, mostWords)).slice(0, mostWords);
  for (const word of first) {
    const file = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
    const program = file.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '');
    const name = program.replace(/(?<![\d.])[\d.]+$/, '');
    const found = signs.find(([, programs, files]) => programs.test(name) || files.test(program));
    if (found !== undefined) return found[0];
  }
  return undefined;
}
