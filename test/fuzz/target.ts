import assert from 'node:assert/strict';
import { AuthcliError, type ErrorCode } from '../../src/errors.ts';

/** A parser and what it is fed. */
export interface Target {
  readonly name: string;
  /** What it reads when all is well; the cases are these, edited. */
  readonly samples: readonly (string | Uint8Array)[];
  /** Reads one input; what it throws, if anything, must be an AuthcliError with one of these codes. */
  readonly read: (bytes: Uint8Array) => unknown;
  readonly codes?: readonly ErrorCode[];
  /** What no error may repeat; it is in the samples. */
  readonly secret?: string;
  /** How much of the cases it gets beside others: 1 by default. */
  readonly share?: number;
}

/** More processor time than this no input may cost. */
const longestMs = 10_000;

/** Feeds one input to a target; throws where the target fails. */
export async function feed({ read, codes = [], secret }: Target, bytes: Uint8Array): Promise<void> {
  const before = process.cpuUsage();
  try {
    await read(bytes);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    assert.ok(error.message.length < 2000, 'a message that is no sentence');
    assertSilent(`${error.message} ${error.hint} ${JSON.stringify(error.data)}`, secret);
  }
  const { user, system } = process.cpuUsage(before);
  const took = (user + system) / 1000;
  assert.ok(took < longestMs, `it took ${Math.round(took)} ms`);
}

/** The shortest significant part of a secret. */
const tellingLength = 12;

/** Asserts that the text contains no significant part of the secret. */
export function assertSilent(text: string, secret: string | undefined): void {
  if (secret === undefined) return;
  for (let start = 0; start + tellingLength <= secret.length; start += 4) {
    const part = secret.slice(start, start + tellingLength);
    assert.ok(!text.includes(part), `it tells ${part} of the secret`);
  }
}

/** The bytes as text, what is not UTF-8 replaced. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
