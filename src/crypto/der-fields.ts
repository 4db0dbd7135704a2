import { type DerElement, derTags, formatObjectIdentifier, readDerChildren } from './der.ts';
import type { KeyRefusal } from './key-structure.ts';
import { toBigInt } from './rsa-key.ts';

/** Why a key store or encrypted key can't be opened, on its way up to who asked for it. */
export class KeyFault extends Error {
  readonly refusal: KeyRefusal;

  constructor(refusal: KeyRefusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** The fault of a structure that is not as its standard says. */
export function damaged(where: string): KeyFault {
  const reason = `it is damaged: ${where}`;
  return new KeyFault({ code: 'damaged', reason });
}

/** The fault of a password that opens nothing. */
export function wrongPassword(what: string): KeyFault {
  return new KeyFault({
    code: 'wrong-password',
    reason: `the password does not open ${what}`,
    fix: () =>
      'Check the password, also its case and a line end. If it is right, the beginning of the encrypted part is damaged.',
  });
}

const notThere = 'an element inside is missing or not of its type';

/** The elements inside. Throws {@link KeyFault} where there are none to read. */
export function childrenOf(element: DerElement | undefined): readonly DerElement[] {
  const children = element && (element.tag & 0x20) !== 0 ? readDerChildren(element) : undefined;
  if (children === undefined) throw damaged(notThere);
  return children;
}

/** The dotted form of an OBJECT IDENTIFIER. */
export function oidOf(element: DerElement | undefined): string {
  if (element?.tag !== derTags.objectIdentifier) throw damaged(notThere);
  return formatObjectIdentifier(element.contents);
}

/** A count that is written as INTEGER; too large ones are Infinity. */
export function numberOf(element: DerElement | undefined): number {
  const isNegative = (element?.contents[0] ?? 0) >= 0x80;
  if (element?.tag !== derTags.integer || isNegative) throw damaged(notThere);
  const value = toBigInt(element.contents);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}

/** The bytes of an OCTET STRING or of one with an implicit tag; BER may have cut it into several. */
export function octetsOf(element: DerElement | undefined): Uint8Array {
  if (element === undefined || ![0x04, 0x24, 0x80, 0xa0].includes(element.tag)) {
    throw damaged(notThere);
  }
  if ((element.tag & 0x20) === 0) return element.contents;
  return Buffer.concat(childrenOf(element).map(octetsOf));
}
