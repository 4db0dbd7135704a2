import { AuthcliError } from '../../errors.ts';
import type { Fault, ResponsePoints } from './points.ts';

/** How the fault is written, and what it does, for lists. */
export const chosenCodeForm = {
  name: 'code=CODE:MESSAGE',
  title: 'Responds to every well-formed request with this code and message',
} as const;

type ChosenCode = Omit<Fault<ResponsePoints>, 'side'>;

/**
 * The fault `code=E104:try again`, which refuses every request so; undefined for another name.
 * @throws AuthcliError `usage` without a code
 */
export function chosenCodeFault(name: string): ChosenCode | undefined {
  if (!name.startsWith('code=')) return undefined;
  const [, code = '', message = ''] = /^code=([^:]*):?(.*)$/s.exec(name) ?? [];
  if (code === '') {
    throw new AuthcliError('usage', 'The fault code= needs a code.', {
      hint: `Write ${chosenCodeForm.name}, such as code=E104:unknown client.`,
    });
  }
  const fix = 'Pass the code and the message on to the caller.';
  const chosen = { name: 'chosen-code', code, message, fix, status: 200 };
  return {
    name,
    title: chosenCodeForm.title,
    check: 'registration/answers-success',
    diagnosis: 'code-not-success',
    apply: { refusal: () => chosen },
  };
}
