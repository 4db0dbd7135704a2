import { applicationCodes } from '../../emulator/application-codes.ts';
import type { CodeEntry } from '../../emulator/handling.ts';
import { serviceCodes } from '../../emulator/service-codes.ts';
import type { Explanation } from '../../reports/explanation.ts';

/** The codes with which the emulators refuse, as explanations. */
export function emulatorCodes(): readonly Explanation[] {
  return [
    ...Object.values(applicationCodes).map((entry) => explain(entry, 'application')),
    ...Object.values(serviceCodes).map((entry) => explain(entry, 'service')),
  ];
}

function explain(entry: CodeEntry, side: 'application' | 'service'): Explanation {
  const { code, meaning, mend, status } = entry;
  return {
    code,
    kind: 'emulator code',
    title: `The emulated ${side} refuses: ${lowerFirst(meaning.replace(/\.$/, ''))}`,
    meaning: `The interface defines "0000" alone (section 7), so this code is the emulator's own: a real ${side} has others. Do not write code that looks for it.`,
    recognised: `The answer has "code":"${code}" and the HTTP status ${status}.`,
    mend,
    section: '7',
  };
}

/** Field names keep their letters, and they begin with a small one anyway. */
function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
