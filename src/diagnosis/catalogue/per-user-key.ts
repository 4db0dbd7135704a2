import type { perUserKeyCodes } from '../../errors.ts';
import type { CataloguePart } from '../catalogue-entry.ts';
import { keyFormCatalogue } from './per-user-key-forms.ts';
import { keyStrengthCatalogue } from './per-user-key-strengths.ts';

/** What is known of the codes of the key inside a wrap. */
export const perUserKeyCatalogue: CataloguePart<(typeof perUserKeyCodes)[number]> = {
  ...keyFormCatalogue,
  ...keyStrengthCatalogue,
};
