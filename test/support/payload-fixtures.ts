import { readFileSync } from 'node:fs';

/** A payload that another program made, with what is in it. */
export interface PayloadFixture {
  readonly maker: string;
  /** In the canonical notation. */
  readonly cipher: string;
  readonly key: string;
  readonly kind: 'passcode' | 'user-info';
  readonly plaintext: string;
  readonly payload: string;
}

const file = new URL('../../fixtures/payloads/payloads.json', import.meta.url);

/** All payloads of `fixtures/payloads`. */
export const payloadFixtures: readonly PayloadFixture[] = JSON.parse(readFileSync(file, 'utf8'));

/** The payload of the first row of a maker whose cipher contains some text. */
export function fixture(maker: string, cipherPart: string): string {
  const row = payloadFixtures.find((one) => one.maker === maker && one.cipher.includes(cipherPart));
  if (row === undefined) throw new TypeError(`no payload of ${maker} with ${cipherPart}`);
  return row.payload;
}
