import type { SentCallback } from '../explore/execute.ts';
import type { SentStep } from '../explore/execution.ts';
import type { SentSignIn } from '../explore/service-execute.ts';
import { shellWord } from '../text.ts';

/** A text of the run, and what replaces it in the script. */
export type Stand = readonly [text: string, expression: string];

/** A shell word in which expressions replace what is new in each run. */
function scripted(text: string, stands: readonly Stand[]): string {
  const [[found, expression] = ['', ''], ...others] = stands.filter(([each]) =>
    text.includes(each),
  );
  if (found === '') return text === '' ? '' : shellWord(text);
  return text
    .split(found)
    .map((part) => scripted(part, others))
    .join(expression);
}

/** Rounds with the numbers of their steps, from 0. */
export function roundsOf<S extends SentStep>(
  sent: readonly S[],
): readonly (readonly (readonly [number, S])[])[] {
  const rounds = new Map<number, (readonly [number, S])[]>();
  for (const [index, step] of sent.entries()) {
    rounds.set(step.round, [...(rounds.get(step.round) ?? []), [index, step]]);
  }
  return [...rounds.values()];
}

/** The parts of a request as words of the shell. */
export function wordsOf(step: SentCallback | SentSignIn, stands: readonly Stand[]) {
  const { url, headers, body } = step.built.request;
  const text = new TextDecoder().decode(body);
  return {
    url: scripted(url.href, stands),
    body: text === '' ? "''" : scripted(text, stands),
    headers: headers
      .map(([name, value]) => `-H ${scripted(`${name}: ${value}`, stands)}`)
      .join(' '),
  };
}

/** What curl needs for a request over a connection of its own. */
export function curlWords(step: SentCallback | SentSignIn, stands: readonly Stand[]): string {
  const { url, body, headers } = wordsOf(step, stands);
  return `${url} --data-binary ${body} ${headers}`;
}

/** Where the first round has no response, the rest would only bury that under the errors of openssl. */
export function needed(round: readonly (readonly [number, unknown])[]): readonly string[] {
  return round[0]?.[0] === 0 ? ['need_response'] : [];
}
