// Refuses regular expressions in src/ for which recheck proves that they take more than linear time.
import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'rolldown/utils';

process.env.RECHECK_BACKEND = 'pure'; // in this process: neither Java nor a native program
const { checkSync } = await import('recheck');

/** Of one pattern; what isn't decided by then is left to the test of growth. */
const timeoutMs = 150;

interface Pattern {
  readonly pattern: string;
  readonly flags: string;
}

function patternsIn(node: unknown): readonly Pattern[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('regex' in node) return [node.regex as Pattern];
  return Object.values(node).flatMap(patternsIn);
}

const checked = new Map<string, Pattern & { readonly file: string }>();
const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
for (const file of files.filter((name) => name.endsWith('.ts'))) {
  const { program } = parseSync(file, readFileSync(`src/${file}`, 'utf8'));
  for (const found of patternsIn(program)) {
    // without an unbounded repetition it is linear
    if (!/[*+]|,\}/.test(found.pattern)) continue;
    checked.set(`/${found.pattern}/${found.flags}`, { ...found, file });
  }
}
let failed = 0;
for (const [written, { pattern, flags, file }] of checked) {
  const result = checkSync(pattern, flags, { timeout: timeoutMs, checker: 'automaton' });
  if (result.status !== 'vulnerable') continue;
  failed += 1;
  console.error(`src/${file}: ${written} takes ${result.complexity.summary} time`);
}
console.log(`${checked.size} patterns checked, ${failed} of them take more than linear time`);
process.exitCode = failed > 0 ? 1 : 0;
