import type { Session } from '../session.ts';
import { widthOf } from '../terminal/style.ts';

/** How explanations are printed: the calls in the user's language alone, unless --verbose asks for all. */
export async function explanationLook(session: Session) {
  await session.readStack();
  const { style, context } = session;
  const look = session.failureLook(style, widthOf(context.stdout));
  return { ...look, stack: look.detail === 'verbose' ? undefined : look.stack };
}
