import type { wrappedKeyCodes } from '../../errors.ts';
import type { CataloguePart } from '../catalogue-entry.ts';
import { ciphertextCatalogue } from './wrapped-key-ciphertexts.ts';
import { wrappedTextCatalogue } from './wrapped-key-texts.ts';

/** What is known of the codes of a wrapped key. */
export const wrappedKeyCatalogue: CataloguePart<(typeof wrappedKeyCodes)[number]> = {
  ...wrappedTextCatalogue,
  ...ciphertextCatalogue,
};
