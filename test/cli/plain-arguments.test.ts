import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { commands } from '../../src/cli/commands/index.ts';
import { globalFlags } from '../../src/cli/global-flags.ts';
import { type Flags, flagName, isPositional, takesValue } from '../../src/cli/options.ts';
import { parseFlags } from '../../src/cli/parse.ts';
import { readPlainArguments } from '../../src/cli/plain-arguments.ts';

const word = fc.oneof(
  fc.constantFrom('', '-', 'help', 'alice', '@file', '5', 'a=b', 'http://localhost/a?b=c'),
  fc.string(),
);
const odd = fc.constantFrom('--', '-x', '-5', '--bogus', '--no', '---', '-h', '--help', '-V');

/** Flags as they are written, well and badly, among words. */
function tokens(flags: Flags): fc.Arbitrary<string[]> {
  const names = Object.values(flags)
    .filter((flag) => !isPositional(flag))
    .map((flag) => ({ name: `--${flagName(flag)}`, valued: takesValue(flag) }));
  const flag = fc.tuple(fc.constantFrom(...names), word);
  return fc
    .array(
      fc.oneof(
        {
          weight: 4,
          arbitrary: flag.map(([{ name, valued }, value]) => (valued ? [name, value] : [name])),
        },
        { weight: 2, arbitrary: word.map((text) => [text]) },
        { weight: 1, arbitrary: flag.map(([{ name }, value]) => [`${name}=${value}`]) },
        { weight: 1, arbitrary: flag.map(([{ name }]) => [name]) },
        { weight: 1, arbitrary: flag.map(([{ name }]) => [name.slice(0, -1)]) },
        { weight: 1, arbitrary: odd.map((text) => [text]) },
      ),
      { maxLength: 5 },
    )
    .map((groups) => groups.flat());
}

describe('arguments that need no commander', () => {
  for (const { path, load } of commands) {
    it(`are read as commander reads them: ${path}`, async () => {
      const flags: Flags = { ...(await load()).flags, ...globalFlags };
      fc.assert(
        fc.property(tokens(flags), (argv) => {
          const plain = readPlainArguments(flags, argv);
          if (plain !== undefined) assert.deepEqual(plain, parseFlags(path, flags, argv));
        }),
      );
    });
  }

  it('are all that scripts write', async () => {
    for (const { path, load } of commands) {
      const definition = await load();
      const flags: Flags = { ...definition.flags, ...globalFlags };
      const argv = Object.values(flags).flatMap((flag) =>
        isPositional(flag)
          ? ['word']
          : takesValue(flag)
            ? [`--${flagName(flag)}`, 'value']
            : [`--${flagName(flag)}`],
      );
      const hasList = Object.values(flags).some(({ syntax }) => syntax.includes('...'));
      assert.equal(readPlainArguments(flags, argv) === undefined, hasList, path);
    }
  });

  for (const [what, argv] of [
    ['a flag that is none', ['--bogus']],
    ['the beginning of a name', ['--jso']],
    ['a value behind =', ['--profile=a']],
    ['a value that begins with a dash', ['--profile', '-a']],
    ['a value that is missing', ['--profile']],
    ['a word too many', ['word']],
    ['two dashes', ['--', 'word']],
  ] as const) {
    it(`leave ${what} to commander`, () => {
      assert.equal(readPlainArguments(globalFlags, argv), undefined);
    });
  }
});
