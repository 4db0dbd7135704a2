/**
 * DER (X.690): as much as keys and certificates need. Reading accepts BER's long lengths, because lenient
 * readers do; every failure has what is missing.
 */

/** One element: tag, length and contents, as a window on the bytes it was read from. */
export interface DerElement {
  readonly tag: number;
  readonly contents: Uint8Array;
  /** The element with its tag and length. */
  readonly encoded: Uint8Array;
}

/** Why no element was found. */
export type DerFault =
  | { readonly kind: 'empty' }
  | { readonly kind: 'truncated'; readonly announced: number; readonly present: number }
  | { readonly kind: 'length' }
  | { readonly kind: 'tag' };

export type DerReading =
  | { readonly ok: true; readonly element: DerElement }
  | { readonly ok: false; readonly fault: DerFault };

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
  const tag = bytes[offset];
  if (tag === undefined) return fault({ kind: 'empty' });
  if ((tag & 0x1f) === 0x1f) return fault({ kind: 'tag' });
  const length = readLength(bytes, offset + 1);
  if ('kind' in length) return fault(length);
  const end = length.start + length.value;
  if (end > bytes.length) {
    const present = bytes.length - offset;
    return fault({ kind: 'truncated', announced: end - offset, present });
  }
  const contents = bytes.subarray(length.start, end);
  const encoded = bytes.subarray(offset, end);
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

function readLength(bytes: Uint8Array, at: number): { start: number; value: number } | DerFault {
  const first = bytes[at];
  if (first === undefined) return { kind: 'truncated', announced: 2, present: 1 };
  if (first < 0x80) return { start: at + 1, value: first };
  const octets = first & 0x7f;
  // 0x80 is BER's indefinite length, which DER forbids; no key needs more than four octets
  if (octets === 0 || octets > 4) return { kind: 'length' };
  const start = at + 1 + octets;
  if (start > bytes.length) {
    return { kind: 'truncated', announced: octets + 2, present: bytes.length - at + 1 };
  }
  let value = 0;
  for (const octet of bytes.subarray(at + 1, start)) value = value * 256 + octet;
  return { start, value };
}

function writeLength(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Uint8Array.of(0x80 | octets.length, ...octets);
}

function fault(of: DerFault): DerReading {
  return { ok: false, fault: of };
}
