import { connections } from './connections.ts';
import { hostileAnswers } from './hostile-answers.ts';
import type { Section } from './section.ts';

/** Every section of `npm run hardening`, in the order of its table. */
export const sections: readonly Section[] = [
  { name: 'answers', run: hostileAnswers },
  { name: 'connections', run: connections },
];
