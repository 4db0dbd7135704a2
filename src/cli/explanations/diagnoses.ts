import { catalogue } from '../../diagnosis/catalogue.ts';
import { applicationFaults } from '../../emulator/faults.ts';
import type { Explanation } from '../../reports/explanation.ts';

/** The diagnosis codes, as explanations; where the emulated application can show one, with the command. */
export function diagnoses(): readonly Explanation[] {
  return Object.entries(catalogue).map(([code, entry]) => {
    const fault = applicationFaults.find(({ diagnosis }) => diagnosis === code);
    const tryIt = fault && tryFault(fault.name, fault.check);
    return { code, kind: 'diagnosis', ...entry, ...(tryIt && { tryIt }) };
  });
}

/** The command that lets a fault of the emulated application be seen. */
export function tryFault(fault: string, check: string): string {
  return `authcli emulate app --fault ${fault} -- authcli verify --check ${check}`;
}
