import type { DiagnosisCode } from '../errors.ts';
import { answerCatalogue } from './catalogue/answer.ts';
import { connectionCatalogue } from './catalogue/connection.ts';
import { payloadCatalogue } from './catalogue/payload.ts';
import { perUserKeyCatalogue } from './catalogue/per-user-key.ts';
import { wrappedKeyCatalogue } from './catalogue/wrapped-key.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';

/** What is known of each diagnosis code; `explain`, the reports and the docs are made from it. */
export const catalogue: Readonly<Record<DiagnosisCode, CatalogueEntry>> = {
  ...wrappedKeyCatalogue,
  ...perUserKeyCatalogue,
  ...answerCatalogue,
  ...payloadCatalogue,
  ...connectionCatalogue,
};
