import type { Diagnosis, DiagnosisCode, Evidence } from '../errors.ts';
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

/** A certain diagnosis of what was observed, with the fix and the calls of the catalogue. */
export function diagnose(code: DiagnosisCode, message: string, evidence?: Evidence): Diagnosis {
  const { fix: hint, calls = {} } = catalogue[code];
  return { code, confidence: 'certain', message, hint, calls, ...(evidence && { evidence }) };
}
