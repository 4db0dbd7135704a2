import { bodies } from './bodies.ts';
import { controlTexts } from './controls.ts';
import { encodings } from './encodings.ts';
import { framing } from './framing.ts';
import { heads } from './heads.ts';
import { moments } from './moments.ts';
import type { HostileResponse } from './response.ts';
import { statuses } from './statuses.ts';
import { tls } from './tls.ts';

/** Every hostile response that is tried. */
export const responses: readonly HostileResponse[] = [
  ...bodies,
  ...encodings,
  ...framing,
  ...heads,
  ...statuses,
  ...moments,
  ...tls,
  ...controlTexts,
];
