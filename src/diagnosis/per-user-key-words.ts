import type { Diagnosis, perUserKeyCodes } from '../errors.ts';
import { perUserKeyCatalogue } from './catalogue/per-user-key.ts';
import { diagnosis } from './catalogue-entry.ts';
import { hintOf } from './catalogue-hint.ts';

/** A diagnosis of a per-user key: what was seen, never any of the key, and how to mend it. */
export function diagnoseKey(code: (typeof perUserKeyCodes)[number], message: string): Diagnosis {
  return diagnosis(code, message, hintOf(perUserKeyCatalogue[code]));
}
