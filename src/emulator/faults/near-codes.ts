import {
  type ApplicationPoints,
  byExplore,
  defineApplicationFaults,
  type Hooks,
  recall,
} from './points.ts';

/** User codes that differ little are taken for the same: beyond what `verify` sends. */
export const nearCodeFaults = defineApplicationFaults({
  check: byExplore,
  diagnosis: 'shared-state',
})({
  'trims-user-code': {
    title: 'Stores user codes without spaces at their ends',
    steps: 3,
    apply: stores((code) => code.trim()),
  },
  'user-code-as-number': {
    title: 'Stores user codes that consist of digits as numbers, without the zeros in front',
    steps: 3,
    apply: stores((code) => (/^\d+$/.test(code) ? code.replace(/^0+(?=.)/, '') : code)),
  },
  'folds-width': {
    title: 'Stores full-width letters and digits of user codes as ASCII (NFKC)',
    steps: 3,
    apply: stores((code) => code.normalize('NFKC')),
  },
  'drops-invisible-characters': {
    title: 'Stores user codes without zero-width spaces and other invisible characters',
    steps: 3,
    apply: stores((code) => code.replace(/\p{Cf}/gu, '')),
  },
  'user-code-url-decoded': {
    title: 'Stores user codes after URL decoding, which makes every + a space',
    steps: 3,
    apply: stores((code) => code.replaceAll('+', ' ')),
  },
  'user-code-as-pattern': {
    title: 'Finds users with LIKE, so that _ in a user code matches any character',
    steps: 3,
    apply: findsByPattern(),
  },
});

function stores(change: (code: string) => string): Hooks<ApplicationPoints> {
  return { userCode: change };
}

/** The first user stored whose code matches; a user is stored under the code that is in the request. */
function findsByPattern(): Hooks<ApplicationPoints> {
  return {
    userCode: (right, seen) => {
      const stored = recall(seen, 'codes in their order', () => new Set<string>());
      if (seen.operation === 'key-exchange') stored.add(right);
      if (seen.operation !== 'registration' || !right.includes('_')) return right;
      return [...stored].find((code) => matches(right, code)) ?? right;
    },
  };
}

function matches(pattern: string, code: string): boolean {
  return (
    pattern.length === code.length &&
    [...pattern].every((character, at) => character === '_' || character === code[at])
  );
}
