import assert from 'node:assert/strict';

interface Expectations {
  /** Whether it may refuse its input, with an AuthcliError of the code `usage`. */
  readonly refuses?: true;
  /** What no error may repeat; it is in the samples. */
  readonly secret?: string;
  /** How much of the cases it gets beside others: 1 by default. */
  readonly share?: number;
}

/** A parser and what it is fed: samples that it reads when all is well, edited. */
export type Target = readonly [
  name: string,
  samples: readonly (string | Uint8Array)[],
  read: (bytes: Uint8Array) => unknown,
  expectations?: Expectations,
];

/** Asserts that the text contains no significant part of the secret. */
export function assertSilent(text: string, secret: string): void {
  const shortest = 12;
  for (let start = 0; start + shortest <= secret.length; start += 4) {
    const part = secret.slice(start, start + shortest);
    assert.ok(!text.includes(part), `it tells ${part} of the secret`);
  }
}

/** The bytes as text, what is not UTF-8 replaced. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
