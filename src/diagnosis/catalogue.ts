import type { Calls, Diagnosis, DiagnosisCode, Evidence } from '../errors.ts';
import { connectionCatalogue } from './catalogue/connection.ts';
import { payloadCatalogue } from './catalogue/payload.ts';
import { perUserKeyCatalogue } from './catalogue/per-user-key.ts';
import { responseCatalogue } from './catalogue/response.ts';
import { wrappedKeyCatalogue } from './catalogue/wrapped-key.ts';
import type { CatalogueEntry } from './diagnosis.ts';

/** Every diagnosis code. */
export const catalogue: Readonly<Record<DiagnosisCode, CatalogueEntry>> = {
  ...wrappedKeyCatalogue,
  ...perUserKeyCatalogue,
  ...responseCatalogue,
  ...payloadCatalogue,
  ...connectionCatalogue,
};

/** A diagnosis of what was observed, with the fix and the calls of the catalogue. */
export function diagnose(code: DiagnosisCode, message: string, evidence?: Evidence): Diagnosis {
  const { fix, calls = {} } = catalogue[code];
  return { code, message, hint: fix, calls, ...(evidence && { evidence }) };
}

/** The calls of a diagnosis, or where its own fix names none, those that do right what its code is about. */
export function callsOf({ code, calls }: Diagnosis): Calls {
  return Object.keys(calls).length > 0 ? calls : (catalogue[code].calls ?? {});
}
