import type { Diagnosis, wrappedKeyCodes } from '../errors.ts';
import { wrappedKeyCatalogue } from './catalogue/wrapped-key.ts';
import { diagnosis } from './catalogue-entry.ts';
import { hintOf } from './catalogue-hint.ts';

/** A diagnosis of a wrapped key: what was seen, and the catalogue's way to mend it. */
export function diagnoseWrap(code: (typeof wrappedKeyCodes)[number], message: string): Diagnosis {
  return diagnosis(code, message, hintOf(wrappedKeyCatalogue[code]));
}

/** The first bytes in hexadecimal, as evidence: "a7 3f 00 12 …". Never of a message that was opened. */
export function firstBytes(bytes: Uint8Array, count = 4): string {
  const shown = [...bytes.subarray(0, count)].map((octet) => octet.toString(16).padStart(2, '0'));
  return `${shown.join(' ')}${bytes.length > count ? ' …' : ''}`;
}
