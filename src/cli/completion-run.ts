import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { State } from '../state/state.ts';
import { quoteForBash, readBashLine, unquote } from './bash-words.ts';
import { commands } from './commands/index.ts';
import { complete } from './complete.ts';
import type { Completion, CompletionWorld } from './complete-values.ts';
import type { CompletionSpec } from './completion-spec.ts';
import type { Context } from './context.ts';
import { openLocalState } from './local-state.ts';

/** More users than this are not read for a press of a key. */
const mostUsers = 1000;

/**
 * Prints what a shell's script asks for: `bash LINE REPLACED`, `SHELL -- WORD... CURRENT`, and
 * `powershell .WORD... .CURRENT`, a dot before each. It never fails: where nothing can be said,
 * nothing is offered.
 */
export async function runCompletion(argv: readonly string[], context: Context): Promise<number> {
  try {
    context.stdout.write(await answer(argv, context));
  } catch {
    context.stdout.write('words\t\n');
  }
  return 0;
}

async function answer([shell, ...rest]: readonly string[], context: Context): Promise<string> {
  const spec = await loadSpec();
  if (shell === 'bash') {
    const [line = '', replaced = ''] = rest;
    const { words, current, kept, quote } = readBashLine(line, replaced);
    const found = complete(words, current, worldOf(words, spec, context));
    const cut = (text: string): string => text.slice(text.startsWith(kept) ? kept.length : 0);
    return printed(
      {
        ...found,
        prefix: cut(found.prefix),
        offers: found.offers.map(([value]) => [quoteForBash(cut(value), quote), '']),
      },
      false,
    );
  }
  const given = shell === 'powershell' ? rest.map((word) => word.slice(1)) : rest.slice(1);
  const words = given.slice(0, -1);
  const last = given.at(-1) ?? '';
  const current = shell === 'fish' ? unquote(last) : last;
  return printed(complete(words, current, worldOf(words, spec, context)), true);
}

/** What would break the lines of the answer is not offered. */
function printed({ mode, prefix, offers }: Completion, withAbout: boolean): string {
  const lines = offers
    .filter(([value]) => !/\p{Cc}/u.test(value))
    .map(([value, about]) => (withAbout ? `${value}\t${about}` : value));
  return `${[`${mode}\t${prefix}`, ...lines].join('\n')}\n`;
}

/** The build makes it ready; in the source it is gathered anew. */
async function loadSpec(): Promise<CompletionSpec> {
  const ready = join(import.meta.dirname, 'completion.json');
  if (existsSync(ready)) return JSON.parse(readFileSync(ready, 'utf8')) as CompletionSpec;
  const { completionSpec } = await import('./completion-spec.ts');
  return completionSpec(commands);
}

function worldOf(
  words: readonly string[],
  spec: CompletionSpec,
  context: Context,
): CompletionWorld {
  const { env } = context;
  const config = lastOf('--config', words) ?? (env.AUTHCLI_CONFIG || undefined);
  const profile = lastOf('--profile', words) ?? (env.AUTHCLI_PROFILE || undefined);
  const state = (): State => openLocalState(context, { config, profile });
  return {
    spec,
    profiles: () => state().profiles.list(),
    userCodes: () => {
      const { users } = state();
      return users.count() > mostUsers ? [] : users.list().map(({ ptnCd }) => ptnCd);
    },
    variables: () => Object.keys(env).filter((name) => (env[name] ?? '') !== ''),
  };
}

function lastOf(flag: string, words: readonly string[]): string | undefined {
  const joined = words.findLast((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const at = words.lastIndexOf(flag);
  return at === -1 ? joined : words[at + 1];
}
