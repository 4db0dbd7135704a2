import type { Calls, Diagnosis } from '../errors.ts';
import { bodyCalls, publicKeyCalls, refuseCallsOf } from './calls.ts';
import { diagnose } from './catalogue.ts';

/** What of a callback is malformed: a field, the whole body, or a user without a key. */
export type MalformedPart =
  | 'ptn_cd'
  | 'public_key'
  | 'partner_sp'
  | 'client_id'
  | 'used_type'
  | 'body'
  | 'user';

const fixes: Readonly<Partial<Record<MalformedPart, readonly [fix: string, calls: Calls]>>> = {
  client_id: ['Compare client_id with that of your application, and refuse any other.', {}],
  used_type: [
    'Refuse every used_type but the strings "1" and "2": no default, and no comparison that converts types.',
    {},
  ],
  body: [
    'Read the body as JSON, and refuse what is not an object before anything of it is used.',
    bodyCalls,
  ],
  user: ['Look up the key of ptn_cd first, and refuse if there is none.', {}],
};

/** A malformed callback that was accepted; `isMissing` says that the field is not there at all. */
export function diagnoseAccepted(
  message: string,
  part?: MalformedPart,
  isMissing = true,
): Diagnosis {
  const found = diagnose('accepted-bad-input', message);
  if (part === undefined) return found;
  if (part === 'public_key' && !isMissing) {
    const hint =
      'Read public_key as a key before anything else, and respond with a code of your own if that fails.';
    return { ...found, hint, calls: publicKeyCalls };
  }
  const [hint, calls] = fixes[part] ?? [found.hint, refuseCallsOf(part)];
  return { ...found, hint, calls };
}
