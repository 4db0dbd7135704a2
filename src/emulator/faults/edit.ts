import { isJsonObject, type JsonObject } from '../../protocol/json-type.ts';
import type { Operation } from '../handling.ts';
import type { Situation } from './points.ts';

type Edit = (object: JsonObject, seen: Situation) => unknown;
type ValueHook = (right: unknown, seen: Situation) => unknown;

/** A hook that edits the JSON object of an answer of success; `only` limits it to one operation. */
export function editSuccess(edit: Edit, only?: Operation): ValueHook {
  return (right, seen) => {
    const concerned = only === undefined || seen.operation === only;
    return concerned && seen.refusal === undefined && isJsonObject(right)
      ? edit(right, seen)
      : right;
  };
}

/** A hook that edits the JSON object of a refusal. */
export function editRefusal(edit: Edit): ValueHook {
  return (right, seen) =>
    seen.refusal !== undefined && isJsonObject(right) ? edit(right, seen) : right;
}

/** A hook that edits `result` of an answer of success, where there is one. */
export function editResult(edit: Edit, only?: Operation): ValueHook {
  return editSuccess(
    (answer, seen) =>
      isJsonObject(answer.result) ? { ...answer, result: edit(answer.result, seen) } : answer,
    only,
  );
}

/** The object without one of its fields. */
export function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** The object with a field renamed, at its place. */
export function renamed(object: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key === from ? to : key, value]),
  );
}
