import type { answerCodes } from '../../errors.ts';
import type { CataloguePart } from '../catalogue-entry.ts';
import { behaviourCatalogue } from './answer-behaviours.ts';
import { bodyCatalogue } from './answer-bodies.ts';
import { fieldCatalogue } from './answer-fields.ts';

/** What is known of the codes of an answer. */
export const answerCatalogue: CataloguePart<(typeof answerCodes)[number]> = {
  ...bodyCatalogue,
  ...fieldCatalogue,
  ...behaviourCatalogue,
};
