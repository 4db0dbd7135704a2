import type { Diagnosis } from '../errors.ts';
import { findOrigin } from './per-user-key-origin.ts';
import { findRelation } from './per-user-key-relation.ts';
import { readShape } from './per-user-key-shape.ts';
import { findWeakness } from './per-user-key-strength.ts';

/** What is known beside the key itself. */
export interface PerUserKeyContext {
  readonly ptnCd?: string;
  readonly clientId?: string;
  /** When the key was made, in ms since 1970. */
  readonly now?: number;
  /** Per-user keys that other users were given. */
  readonly earlierKeys?: readonly string[];
}

export interface PerUserKeyFinding {
  /** The key as it stood there, where it is a text: a secret. */
  readonly key?: string;
  /** Whether it is a string of 32 characters (2.2); it may still be weak. */
  readonly isWellFormed: boolean;
  /** First what is wrong with its form, outermost first, then what makes it weak. */
  readonly diagnoses: readonly Diagnosis[];
}

/**
 * Judges a per-user key as it came out of the wrap (2.2): its form, then whether it is a constant,
 * derived from what others know, another user's, or no random string. A random key over any
 * alphabet of ten symbols or more is blamed less than once in a million.
 */
export function diagnosePerUserKey(
  message: Uint8Array,
  context: PerUserKeyContext = {},
): PerUserKeyFinding {
  const { key, inner, diagnoses } = readShape(message);
  if (inner === undefined) {
    return { ...(key !== undefined && { key }), isWellFormed: false, diagnoses };
  }
  const weakness =
    findRelation(inner, context) ?? findOrigin(inner, context) ?? findWeakness(inner);
  return {
    ...(key !== undefined && { key }),
    isWellFormed: diagnoses.length === 0,
    diagnoses: weakness === undefined ? diagnoses : [...diagnoses, weakness],
  };
}
