import {
  type DerElement,
  readDerChildren,
  readDerElement,
  writeDer,
} from '../../src/crypto/der.ts';

/* Changes to DER files that keep the lengths around what is changed. */

/** The file with the first occurrence of some bytes replaced by others, also of another length. */
export function replaced(bytes: Uint8Array, from: string, by: string): Uint8Array {
  return replacedAfter(bytes, '', from, by);
}

/** The same of the first occurrence behind other bytes. */
export function replacedAfter(
  bytes: Uint8Array,
  before: string,
  from: string,
  by: string,
): Uint8Array {
  const file = Buffer.from(bytes);
  const start = file.indexOf(before, 0, 'hex');
  const at = file.indexOf(from, Math.max(start, 0), 'hex');
  if (start < 0 || at < 0) throw new Error(`${before} ${from} is not in the file`);
  return splice(rootOf(file), at, from.length / 2, Buffer.from(by, 'hex'));
}

/** Writes an element again, with other bytes in place of `size` at `at`, and the lengths that fit. */
function splice(element: DerElement, at: number, size: number, by: Uint8Array): Buffer {
  const header = element.encoded.length - element.contents.length;
  const inside = at - header;
  const contents = Buffer.from(element.contents);
  const isNested = (element.tag & 0x20) !== 0 || element.tag === 0x04;
  let offset = 0;
  for (const child of isNested ? (readDerChildren(element) ?? []) : []) {
    const end = offset + child.encoded.length;
    if (inside > offset && inside + size <= end) {
      const changed = splice(child, inside - offset, size, by);
      return put(element.tag, contents, offset, end, changed);
    }
    offset = end;
  }
  return put(element.tag, contents, inside, inside + size, by);
}

function put(tag: number, contents: Buffer, from: number, to: number, by: Uint8Array): Buffer {
  return Buffer.from(writeDer(tag, contents.subarray(0, from), by, contents.subarray(to)));
}

/** The three parts of a PFX (RFC 7292 4); `contents` is what the MAC is over, `mac` what is inside MacData. */
export function splitPfx(bytes: Uint8Array) {
  const [version, safe, mac] = childrenOf(rootOf(bytes));
  const holder = childrenOf(safe)[1];
  const [octets] = childrenOf(holder);
  return {
    version: version?.encoded ?? new Uint8Array(),
    safe: safe?.encoded ?? new Uint8Array(),
    contents: octets?.contents ?? new Uint8Array(),
    mac: Buffer.from(mac?.contents ?? []),
  };
}

/** The outer elements of a PFX with BER's indefinite lengths (X.690 8.1.3.6), and its contents cut in two. */
export function indefinite(bytes: Uint8Array): Uint8Array {
  const open = (tag: number, ...parts: Uint8Array[]) =>
    Buffer.concat([Uint8Array.of(tag, 0x80), ...parts, Uint8Array.of(0, 0)]);
  const [version, safe, mac] = childrenOf(rootOf(bytes));
  const [type, holder] = childrenOf(safe);
  const { contents = new Uint8Array() } = childrenOf(holder)[0] ?? {};
  const halves = [contents.subarray(0, 1000), contents.subarray(1000)].map((half) =>
    writeDer(0x04, half),
  );
  const encoded = (element: DerElement | undefined) => element?.encoded ?? new Uint8Array();
  const cut = open(0x30, encoded(type), open(0xa0, open(0x24, ...halves)));
  return open(0x30, encoded(version), cut, encoded(mac));
}

function rootOf(bytes: Uint8Array): DerElement {
  const reading = readDerElement(bytes);
  if (!reading.ok) throw new Error('not DER');
  return reading.element;
}

function childrenOf(element: DerElement | undefined): readonly DerElement[] {
  return (element && readDerChildren(element)) ?? [];
}
