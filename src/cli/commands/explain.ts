import { type Explanation, explanationLines } from '../../reports/explanation.ts';
import { padEnd } from '../../reports/human.ts';
import { didYouMean } from '../../suggest.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { explanationSources } from '../explanations.ts';
import { usage } from '../hints.ts';
import { optional } from '../options.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../style.ts';
import { quote } from '../values.ts';

export const explain = defineCommand({
  path: 'explain',
  about:
    'Explains a diagnosis, a check, an error or a code of the emulators: what it means, how it is recognised, how to mend it in your language, and an example. Without a code it lists all of them.',
  flags: {
    code: optional('[code]', 'the code: what stands in "diagnosis", "error" or "checks"', {
      input: 'word',
      candidates: 'code',
    }),
  },
  examples: [
    { about: 'a diagnosis', line: 'authcli explain oaep-sha256' },
    { about: 'a check', line: 'authcli explain key-exchange/wraps-key' },
    { about: 'every code, for a script', line: 'authcli explain --json' },
  ],
  run: async ({ code }, session) => {
    const groups = await Promise.all(
      explanationSources.map(async ({ title, load }) => ({ title, explanations: await load() })),
    );
    if (code === undefined) return listAll(groups, session);
    const all = groups.flatMap(({ explanations }) => explanations);
    const found = all.find((explanation) => explanation.code.toLowerCase() === code.toLowerCase());
    if (found === undefined) throw unknownCode(code, all);
    return explained(found, session);
  },
});

function explained(explanation: Explanation, { style, context }: Session): Outcome {
  const width = widthOf(context.stdout);
  const { tryIt, ...fields } = explanation;
  return {
    fields: { ...fields, ...(tryIt !== undefined && { try_it: tryIt }) },
    lines: explanationLines(explanation, { style, width }),
  };
}

interface Group {
  readonly title: string;
  readonly explanations: readonly Explanation[];
}

function listAll(groups: readonly Group[], { style }: Session): Outcome {
  const all = groups.flatMap(({ explanations }) => explanations);
  const column = Math.max(...all.map(({ code }) => code.length)) + 2;
  const blocks = groups.map(({ title, explanations }) => [
    style.bold(title),
    ...explanations.map((entry) => `  ${padEnd(entry.code, column)}${style.dim(entry.title)}`),
  ]);
  return {
    fields: { codes: all.map(({ code, kind, title }) => ({ code, kind, title })) },
    lines: blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block])),
  };
}

function unknownCode(code: string, all: readonly Explanation[]): Error {
  const codes = all.map((explanation) => explanation.code);
  const within = codes.filter((known) => known.includes(code.toLowerCase())).slice(0, 5);
  const near =
    within.length > 0 ? `Did you mean ${within.map(quote).join(', ')}?` : didYouMean(code, codes);
  return usage(
    `There is no code ${quote(code)}.`,
    `${near} \`authcli explain\` lists all codes.`.trim(),
  );
}
