import { checks as catalogue } from '../../conformance/catalogue.ts';
import type { CheckFacts } from '../../conformance/check.ts';
import { applicationFaults } from '../../emulator/faults.ts';
import type { Explanation } from '../../reports/explanation.ts';
import { tryFault } from './diagnoses.ts';

/** The checks of a callback endpoint, as explanations. */
export function checks(): readonly Explanation[] {
  return catalogue.map((check) => {
    const { id, title, section, sentence, level } = check;
    const faults = applicationFaults.filter((fault) => fault.check === id);
    const [fault] = faults;
    return {
      code: id,
      kind: 'check',
      title,
      section,
      meaning: `The interface says: "${sentence}" ${levels[level]}`,
      recognised: howItIsSeen(check),
      mend: `Run it alone, with \`authcli verify --check ${id}\`: a failure shows what was expected, what came, and what to change.${diagnosesOf(faults)}`,
      ...(fault && { example: `${fault.title}.`, tryIt: tryFault(fault.name, id) }),
    };
  });
}

const levels = {
  must: 'It is a must: an application that fails it breaks the interface, and the run fails.',
  should:
    'It is a should: the interface leaves it open and users would expect it. A failure is a warning, and fails the run only under --strict.',
} as const;

function howItIsSeen({
  polarity,
  needs,
}: CheckFacts & { readonly needs: readonly string[] }): string {
  const sent =
    polarity === 'positive'
      ? 'Right requests are sent, and the answers judged.'
      : 'A request that is wrong in one place is sent; it must be refused, and counts only beside the same request unspoilt, which must be accepted.';
  const ids = needs.filter((need) => need.includes('/'));
  return ids.length === 0 ? sent : `${sent} It is skipped unless these passed: ${ids.join(', ')}.`;
}

function diagnosesOf(faults: readonly { readonly diagnosis: string }[]): string {
  const codes = [...new Set(faults.map(({ diagnosis }) => diagnosis))];
  return codes.length === 0 ? '' : ` Explained further: ${codes.join(', ')}.`;
}
