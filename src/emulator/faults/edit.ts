import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Operation, Refusal } from '../handling.ts';
import type { ApplicationRefusal, ServiceRefusal } from '../refusals.ts';
import type { Hooks, ResponsePoints, Situation } from './points.ts';

export type Edit = (object: JsonObject, seen: Situation) => unknown;

/** Edits the JSON object of a response of success; `only` limits it to one operation. */
export function editSuccess(edit: Edit, only?: Operation): Hooks<ResponsePoints> {
  const isConcerned = ({ refusal, operation }: Situation) =>
    refusal === undefined && (only === undefined || operation === only);
  return {
    value: (right, seen) => (isConcerned(seen) && isJsonObject(right) ? edit(right, seen) : right),
  };
}

export function editRefusal(edit: Edit): Hooks<ResponsePoints> {
  return {
    value: (right, seen) => (seen.refusal && isJsonObject(right) ? edit(right, seen) : right),
  };
}

/** Edits the object `result` of a response of success, where there is one. */
export function editResult(edit: Edit, only?: Operation): Hooks<ResponsePoints> {
  return editSuccess((response, seen) => {
    const { result } = response;
    return isJsonObject(result) ? { ...response, result: edit(result, seen) } : response;
  }, only);
}

/** Passes every response on, after `note` has seen what became of the request. */
export function afterwards(note: (seen: Situation) => void): ResponseHook {
  return (right, seen) => {
    note(seen);
    return right;
  };
}

/** How often it was called with this text: 1 at the first time. */
export function counter(): (text?: string) => number {
  const counts = new Map<string, number>();
  return (text = '') => {
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count;
  };
}

interface UnderWay extends Pick<Situation, 'ptnCd' | 'operation'> {
  readonly until: number;
  readonly text: string | undefined;
}

/** Lists the requests under way beside each new one, which is under way from then on for `ms`. */
export function overlapping(ms: number) {
  let all: readonly UnderWay[] = [];
  return ({ ptnCd, operation, now }: Situation, text?: string): readonly UnderWay[] => {
    const others = all.filter(({ until }) => until > now);
    all = [...others, { ptnCd, operation, text, until: now + ms }];
    return others;
  };
}

/** Delays a response until the request is not under way any more. */
export function laterThan(ms: number): ResponseHook {
  return (right) => ({ ...right, delivery: { ...right.delivery, delayMs: ms + 5 } });
}

type ResponseHook = NonNullable<Hooks<ResponsePoints>['response']>;

export function accepts(
  names: readonly (ApplicationRefusal | ServiceRefusal)[],
  only?: Operation,
): Hooks<ResponsePoints> {
  const isAccepted = (right: Refusal | undefined, { operation }: Situation) =>
    names.some((name) => name === right?.name) && (only === undefined || operation === only);
  return { refusal: (right, seen) => (isAccepted(right, seen) ? undefined : right) };
}

export function withField(name: string, value: unknown): Edit {
  return (object) => ({ ...object, [name]: value });
}

export function without(name: string): Edit {
  return (object) => Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

export function renamed(from: string, to: string): Edit {
  return (object) =>
    Object.fromEntries(
      Object.entries(object).map(([key, value]) => [key === from ? to : key, value]),
    );
}
