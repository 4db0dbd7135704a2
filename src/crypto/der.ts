/**
 * DER (X.690): as much as keys and certificates need. Reading accepts BER's long lengths, because lenient
 * readers do; every failure has what is missing.
 */

/** One element: tag, length and contents, as a window on the bytes it was read from. */
export interface DerElement {
  readonly tag: number;
  readonly contents: Uint8Array;
  readonly encoded: Uint8Array;
}

/** The element, or how many bytes there are of those announced where it is cut off, or nothing about a broken one. */
export type DerReading =
  | { readonly ok: true; readonly element: DerElement }
  | { readonly ok: false; readonly announced?: number; readonly present?: number };

export const derTags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  sequence: 0x30,
  context0: 0xa0,
} as const;

/** Reads the element that begins at `offset`; what follows it is left alone. */
export function readDerElement(bytes: Uint8Array, offset = 0): DerReading {
  const present = bytes.length - offset;
  const [tag = 0x1f, first] = bytes.subarray(offset);
  if ((tag & 0x1f) === 0x1f) return { ok: false };
  if (first === undefined) return { ok: false, announced: 2, present };
  // 0x80 is BER's indefinite length, which DER forbids; no key needs more than four octets
  const octets = first > 0x80 ? first & 0x7f : 0;
  if (first === 0x80 || octets > 4) return { ok: false };
  if (present < 2 + octets) return { ok: false, announced: 2 + octets, present };
  const start = offset + 2 + octets;
  const digits = octets === 0 ? Uint8Array.of(first) : bytes.subarray(offset + 2, start);
  const value = digits.reduce((sum, octet) => sum * 256 + octet, 0);
  if (start + value > bytes.length) return { ok: false, announced: 2 + octets + value, present };
  const contents = bytes.subarray(start, start + value);
  const encoded = bytes.subarray(offset, start + value);
  return { ok: true, element: { tag, contents, encoded } };
}

/** The elements inside a SEQUENCE, SET or context tag; undefined where its contents are broken. */
export function readDerChildren(element: DerElement): readonly DerElement[] | undefined {
  const children: DerElement[] = [];
  let offset = 0;
  while (offset < element.contents.length) {
    const reading = readDerElement(element.contents, offset);
    if (!reading.ok) return undefined;
    children.push(reading.element);
    offset += reading.element.encoded.length;
  }
  return children;
}

export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const contents = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag), writeLength(contents.length), contents]);
}

function writeLength(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Uint8Array.of(0x80 | octets.length, ...octets);
}
