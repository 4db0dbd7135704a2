import { readFileSync } from 'node:fs';

const folder = new URL('../../fixtures/', import.meta.url);

/** A fixture's bytes; `path` as below `fixtures/`. */
export function fixtureBytes(path: string): Uint8Array {
  return readFileSync(new URL(path, folder));
}

/** A fixture's text. */
export function fixture(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** A fixture of JSON, of which the caller knows the shape. */
export function fixtureJson<T>(path: string): T {
  return JSON.parse(fixture(path)) as T;
}

/** The rows of a fixture of JSON lines, of which the caller knows the shape. */
export function fixtureRows<T>(path: string): readonly T[] {
  const lines = fixture(path).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

/** Payloads that other programs made, with what is in them; `cipher` is the canonical notation. */
export const payloadFixtures =
  fixtureJson<
    readonly Readonly<
      Record<'maker' | 'cipher' | 'key' | 'plaintext' | 'payload', string> & {
        kind: 'passcode' | 'user-info';
      }
    >[]
  >('payloads/payloads.json');
