import type { Check, CheckFacts } from '../conformance/check.ts';
import { table } from '../reports/human.ts';
import type { Outcome } from './command.ts';
import type { Session } from './session.ts';

type ListedCheck = CheckFacts & Pick<Check, 'needs'>;

/** What --list shows: the checks that there are to run. */
export function listOutcome(checks: readonly ListedCheck[], { style }: Session): Outcome {
  const hasSignin = checks.some(({ id }) => id.startsWith('signin/'));
  const rows = checks.map(({ id, level, section, title }) => [id, level, section, title]);
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
      ...table(['check', 'level', 'section', 'holds when'], rows, style),
      '',
      ...(hasSignin ? ['Those of signin run with --signin or --signin-url.'] : []),
      `${checks.length} checks. Each request carries the header X-Authcli-Check with the id of its check.`,
    ],
  };
}
