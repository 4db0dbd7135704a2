import { algorithmOf, type Cipher } from '../../crypto/cipher.ts';
import { decryptionCalls } from '../../diagnosis/decryption-calls.ts';
import { type Explanation, explanationLines } from '../../reports/explanation.ts';
import { padEnd } from '../../reports/human.ts';
import { excerptOf, nearest } from '../../text.ts';
import { cipherFlag } from '../args/flags.ts';
import { errorTextLimit } from '../args/input.ts';
import { flag } from '../args/options.ts';
import { quote } from '../args/values.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { explainErrorText, explainUnknownText, explanationLook } from './error-texts.ts';
import { type ExplanationGroup, explanationGroups } from './explanations.ts';

/** The explanation; calls that decrypt a payload are those of `cipher`. */
function forCipher(explanation: Explanation, cipher: Cipher): Explanation {
  const ofMode = algorithmOf(cipher).mode === 'gcm' ? 'bad-tag' : 'bad-padding';
  const decrypts = ['cipher-mismatch', ofMode].includes(explanation.code);
  return decrypts ? { ...explanation, calls: decryptionCalls(cipher) } : explanation;
}

export const explain = defineCommand({
  path: 'explain',
  about:
    'Explains a code, a check, a field, an HTTP or exit status, or the error text of a library: what it means in this interface, a command that tests it, and the fix in your language. Without an argument, lists all codes.',
  flags: {
    words: flag('[code...]', 'a code, check, field or status, or an error text', {
      candidates: 'code',
      limit: errorTextLimit,
    }),
    cipher: cipherFlag,
  },
  survives: ['config'],
  examples: {
    'a diagnosis, check, field or status': 'authcli explain oaep-sha256',
    'an error of a library': `authcli explain 'javax.crypto.BadPaddingException: Given final block not properly padded'`,
    'every code, for a script': 'authcli explain --json',
  },
  run: async ({ words, cipher }, session) => {
    const groups = explanationGroups();
    if (words.length === 0) return listAll(groups, session);
    const code = session.redactForeign(words.join(' '));
    const all = groups.flatMap(({ explanations }) => explanations);
    const known = findCode(code, all);
    const found = known
      ? forCipher(known, cipher)
      : (explainErrorText(code, cipher) ?? ofStatus(code, all));
    if (found === undefined && /^[^\s{}<>"]{1,60}$/.test(code)) throw unknownCode(code, all);
    return explained(found ?? explainUnknownText(code, cipher), session);
  },
});

/** By its code, also as it appears in responses and messages: "result.ptn_sp", "HTTP 415", "exit 3". */
function findCode(text: string, all: readonly Explanation[]): Explanation | undefined {
  const code = text
    .trim()
    .toLowerCase()
    .replace(/^"(.*)"$/, '$1')
    .replace(/^0000$/, 'code')
    .replace(/^terminated$/, 'interrupted')
    .replace(/^(?:result\.|https? |(?:http |exit )?status |exit (?:code )?)/, '');
  return all.find((explanation) => explanation.code.toLowerCase() === code);
}

/** A status line: "422 Unprocessable Entity", "HTTP/1.1 405 Not Allowed". */
function ofStatus(text: string, all: readonly Explanation[]): Explanation | undefined {
  const [, status] = /^\s*(?:HTTP\/[\d.]{1,3} )?([1-5]\d\d)\b/.exec(text) ?? [];
  return all.find(({ code, kind }) => kind === 'HTTP status' && code === status);
}

async function explained(explanation: Explanation, session: Session): Promise<Outcome> {
  const { tryIt, fix, calls, ...fields } = explanation;
  return {
    fields: { ...fields, fix, calls, try_it: tryIt },
    lines: explanationLines(explanation, await explanationLook(session)),
  };
}

function listAll(groups: readonly ExplanationGroup[], { style }: Session): Outcome {
  const all = groups.flatMap(({ explanations }) => explanations);
  const column = Math.max(...all.map(({ code }) => code.length)) + 2;
  const blocks = groups.map(({ title, explanations }) => [
    style.bold(title),
    ...explanations.map((entry) => `  ${padEnd(entry.code, column)}${style.dim(entry.title)}`),
  ]);
  return {
    fields: { codes: all.map(({ code, kind, title }) => ({ code, kind, title })) },
    lines: blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block])),
  };
}

function unknownCode(code: string, all: readonly Explanation[]): Error {
  const codes = all.map((explanation) => explanation.code);
  const within = codes.filter((known) => known.includes(code.toLowerCase())).slice(0, 5);
  const near = within.length > 0 ? within : [nearest(code, codes) ?? []].flat();
  const meant = near.length === 0 ? '' : `Did you mean ${near.map(quote).join(', ')}? `;
  return usage(
    `Unknown code ${quote(excerptOf(code, 80))}.`,
    `${meant}\`authcli explain\` lists all codes.`,
    { words: ['explain', ...near.slice(0, 1)] },
  );
}
