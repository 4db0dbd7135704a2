import { editResult, withField, without } from './edit.ts';
import { defineServiceFaults, type Hooks, type ServicePoints } from './points.ts';

/** A token response that names no user, or a code that is nearly the user's. */
export const namedUserFaults = defineServiceFaults({ diagnosis: 'other-user' })({
  'ptn-cd-other-case': {
    title: 'Names the user with the letters of the code in the other case',
    apply: names((right) => {
      const upper = right.toUpperCase();
      return upper === right ? right.toLowerCase() : upper;
    }),
  },
  'ptn-cd-space': {
    title: 'Names the user with a space behind',
    apply: names((right) => `${right} `),
  },
  'ptn-cd-full-width': {
    title: 'Names the user with the first character in full width',
    apply: names((right) =>
      right.replace(/^[!-~]/, (first) => String.fromCharCode(first.charCodeAt(0) + 0xfee0)),
    ),
  },
  'ptn-cd-zero-width': {
    title: 'Names the user with a zero-width space inside the code',
    apply: names((right) => right.replace(/.$/u, '\u200b$&')),
  },
  'ptn-cd-shorter': {
    title: 'Names the user without the last character',
    apply: names((right) => right.slice(0, -1)),
  },
  'ptn-cd-longer': {
    title: 'Names the user with one character more',
    apply: names((right) => `${right}0`),
  },
  'ptn-cd-percent': { title: 'Names the user "%"', apply: names(() => '%') },
  'ptn-cd-underscore': {
    title: 'Names the user with "_" in place of the last character',
    apply: names((right) => right.replace(/.$/u, '_')),
  },
  'ptn-cd-asterisk': { title: 'Names the user "*"', apply: names(() => '*') },
  'ptn-cd-empty': {
    title: 'Names the user with an empty text',
    diagnosis: 'field-malformed',
    apply: names(() => ''),
  },
  'ptn-cd-missing': {
    title: 'Leaves out ptn_cd',
    diagnosis: 'field-missing',
    apply: editResult(without('ptn_cd'), 'token'),
  },
  'ptn-cd-null': {
    title: 'Writes ptn_cd as null',
    diagnosis: 'field-type',
    apply: editResult(withField('ptn_cd', null), 'token'),
  },
  'ptn-cd-zero': {
    title: 'Writes ptn_cd as the number 0',
    diagnosis: 'field-type',
    apply: editResult(withField('ptn_cd', 0), 'token'),
  },
});

function names(change: (right: string) => string): Hooks<ServicePoints> {
  return { ptnCd: change };
}
