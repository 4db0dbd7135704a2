import type { Check, CheckFacts } from '../conformance/check.ts';
import { table } from '../reports/human.ts';
import type { Outcome } from './command.ts';
import type { Session } from './session.ts';
import { columnsOf } from './style.ts';

type ListedCheck = CheckFacts & Pick<Check, 'needs'>;

/** In fewer columns the titles count more; `explain` tells the section, too. */
const roomForSections = 100;

/** What --list shows: the checks that there are to run. */
export function listOutcome(checks: readonly ListedCheck[], { style, context }: Session): Outcome {
  const hasSignin = checks.some(({ id }) => id.startsWith('signin/'));
  const width = columnsOf(context.stdout);
  const isNarrow = width < roomForSections;
  const rows = checks.map(({ id, level, section, title }) =>
    isNarrow ? [id, level, title] : [id, level, section, title],
  );
  const heading = isNarrow
    ? ['check', 'level', 'holds when']
    : ['check', 'level', 'section', 'holds when'];
  return {
    fields: {
      checks: checks.map(({ id, title, section, sentence, level, polarity, needs }) => ({
        id,
        title,
        section,
        sentence,
        level,
        polarity,
        needs: needs.filter((need) => need.includes('/')),
      })),
    },
    lines: [
      ...table(heading, rows, style, width),
      '',
      ...(hasSignin ? ['Those of signin run with --signin or --signin-url.'] : []),
      `${checks.length} checks. Each request carries the header X-Authcli-Check with the id of its check.`,
    ],
  };
}
