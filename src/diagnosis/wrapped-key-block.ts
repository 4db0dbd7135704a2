import { decodeUtf8 } from '../bytes.ts';
import { identifyOaep, type OaepReading } from '../crypto/eme-oaep.ts';
import { decodeEmePkcs1V15 } from '../crypto/rsaes-pkcs1-v1_5.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnose } from './catalogue.ts';

interface OpenedBlock {
  readonly message: Uint8Array;
  /** What is wrong with the padding; absent for EME-PKCS1-v1_5. */
  readonly diagnosis?: Diagnosis;
}

/** Equal bytes in a row that no random block has: eight of them come once in 2^64. */
const convincing = 8;
const shortestKey = 16;

/**
 * Takes apart the whole block that raw RSA gave: EME-PKCS1-v1_5, OAEP by any hashes, block type 1,
 * a padding made by hand, or none; undefined where it has no structure, as with another key.
 */
export function openBlock(block: Uint8Array): OpenedBlock | undefined {
  const decoded = decodeEmePkcs1V15(block);
  if (decoded.ok && decoded.message.length >= shortestKey && decodeUtf8(decoded.message)) {
    return { message: decoded.message };
  }
  const framed = decoded.ok ? undefined : (openType1(block) ?? openUnpadded(block));
  if (framed !== undefined) return framed;
  // The random first byte of OAEP is 02 once in 256: PKCS #1 v1.5 seems to fit then, too.
  const oaep = identifyOaep(block);
  if (oaep !== undefined) return { message: oaep.message, diagnosis: diagnoseOaep(oaep) };
  return decoded.ok ? { message: decoded.message } : openHandMade(block);
}

function diagnoseOaep({ hash, mgf1Hash, hasLabel }: OaepReading): Diagnosis {
  const isUsual = !hasLabel && (mgf1Hash === hash || (hash === 'sha256' && mgf1Hash === 'sha1'));
  const code =
    isUsual && (hash === 'sha1' || hash === 'sha256') ? (`oaep-${hash}` as const) : 'oaep-other';
  const mask = `MGF1 with ${hashName(mgf1Hash)}`;
  const javas = hash !== 'sha1' && mgf1Hash === 'sha1' ? ", Java's default" : '';
  const label = hasLabel
    ? 'the block has the structure of OAEP, with a label that is not empty'
    : `the block contains the ${hashName(hash)} of the empty label`;
  return diagnose(
    code,
    `The key was wrapped with OAEP (${hashName(hash)}${hasLabel ? ' or another hash of its length' : ''}, ${mask}${javas}) instead of PKCS #1 v1.5: unmasked with these, ${label}.`,
  );
}

function hashName(name: string): string {
  return name.startsWith('sha3-') ? name.toUpperCase() : name.toUpperCase().replace(/^SHA/, 'SHA-');
}

/** Block type 1 of RFC 2313 8.1, which is EMSA-PKCS1-v1_5's frame: 00 01 FF … FF 00 M. */
function openType1(block: Uint8Array): OpenedBlock | undefined {
  if (block[0] !== 0 || block[1] !== 1) return undefined;
  const separator = block.findIndex((octet, index) => index >= 2 && octet !== 0xff);
  if (separator - 2 < convincing || block[separator] !== 0) return undefined;
  const diagnosis = diagnose(
    'pkcs1-type-1',
    `The block begins with 00 01 and ${separator - 2} bytes of FF: block type 1, the padding of signatures, instead of 00 02 and random bytes.`,
  );
  return { message: block.subarray(separator + 1), diagnosis };
}

/** A message that fills the block with zeros, spaces or itself. */
function openUnpadded(block: Uint8Array): OpenedBlock | undefined {
  const start = block.findIndex((octet) => octet !== 0);
  if (start < 0) return unpadded(new Uint8Array(), `all ${block.length} bytes are zero`);
  if (start >= convincing) {
    return unpadded(block.subarray(start), `${start} zero bytes precede the message`);
  }
  const end = block.findLastIndex((octet) => octet !== 0) + 1;
  const zeros = block.length - end;
  if (zeros >= convincing) {
    return unpadded(block.subarray(0, end), `${zeros} zero bytes follow the message`);
  }
  if (block.every((octet) => octet >= 0x20 && octet < 0x7f)) {
    const text = decodeUtf8(block)?.trim() ?? '';
    return unpadded(Buffer.from(text), 'the whole block is text, padded with characters');
  }
  return openPkcs7(block);
}

function openPkcs7(block: Uint8Array): OpenedBlock | undefined {
  const count = block.at(-1) ?? 0;
  const message = block.subarray(0, block.length - count);
  if (count < convincing || count >= block.length) return undefined;
  if (!block.subarray(-count).every((octet) => octet === count)) return undefined;
  const seen = `${count} bytes of value ${count} follow the message, which is the padding of block ciphers`;
  return unpadded(message, seen);
}

function unpadded(message: Uint8Array, seen: string): OpenedBlock {
  const text = `It was encrypted without PKCS #1 v1.5 padding: ${seen}.`;
  return { message, diagnosis: diagnose('no-padding', text) };
}

/** Padding made by hand that a step of RFC 8017 7.2.2 refuses; taken only where text ends it. */
function openHandMade(block: Uint8Array): OpenedBlock | undefined {
  const message = trailingText(block);
  const seen = faultOfPadding(block);
  if (message === undefined || seen === undefined) return undefined;
  const text = `The padding resembles PKCS #1 v1.5 but was written by hand: ${seen}.`;
  return { message, diagnosis: diagnose('no-padding', text) };
}

function faultOfPadding(block: Uint8Array): string | undefined {
  if (block[0] === 2) return 'the first byte is 02, not 00: the leading zero byte is missing';
  if (block[0] !== 0 || block[1] !== 2) return undefined;
  const separator = block.indexOf(0, 2);
  return separator < 0
    ? 'no zero byte ends the random bytes'
    : `only ${separator - 2} random bytes precede the first zero byte, and at least 8 are required`;
}

/** The printable characters that end the block, where no random block has as many. */
function trailingText(block: Uint8Array): Uint8Array | undefined {
  const start = block.findLastIndex((octet) => octet <= 0x20 || octet >= 0x7f) + 1;
  return block.length - start >= shortestKey ? block.subarray(start) : undefined;
}
