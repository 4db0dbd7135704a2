import type { HostileAnswer } from './answer.ts';
import { encodings } from './encodings.ts';
import { moments } from './moments.ts';
import { tls } from './tls.ts';

/** Every hostile answer that is tried. */
export const answers: readonly HostileAnswer[] = [...encodings, ...moments, ...tls];
