import { decodeUtf8 } from '../bytes.ts';
import { identifyOaep, type OaepReading } from '../crypto/eme-oaep.ts';
import { decodeEmePkcs1V15 } from '../crypto/eme-pkcs1-v1_5.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnoseWrap } from './wrapped-key-words.ts';

/** What an encoded message holds, and what is wrong with its padding. */
export interface OpenedBlock {
  readonly message: Uint8Array;
  /** Absent for EME-PKCS1-v1_5 as it should be. */
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
  if (decoded.ok && isConvincingText(decoded.message)) return { message: decoded.message };
  const framed = decoded.ok ? undefined : (openType1(block) ?? openUnpadded(block));
  if (framed !== undefined) return framed;
  // The random first byte of OAEP is 02 once in 256: only then does PKCS #1 v1.5 seem to fit, too,
  // and what it seems to hold may be no byte, or a few that happen to be text.
  const oaep = identifyOaep(block);
  if (oaep !== undefined) return { message: oaep.message, diagnosis: diagnoseOaep(oaep) };
  return decoded.ok ? { message: decoded.message } : openHandMade(block);
}

/** Text of a length at which random bytes are none. */
function isConvincingText(message: Uint8Array): boolean {
  return message.length >= shortestKey && decodeUtf8(message) !== undefined;
}

function diagnoseOaep({ hash, mgf1Hash, hasLabel }: OaepReading): Diagnosis {
  const isUsual = !hasLabel && (mgf1Hash === hash || (hash === 'sha256' && mgf1Hash === 'sha1'));
  const code =
    isUsual && hash === 'sha1'
      ? 'oaep-sha1'
      : isUsual && hash === 'sha256'
        ? 'oaep-sha256'
        : 'oaep-other';
  const mask = `MGF1 with ${hashName(mgf1Hash)}`;
  const javas = hash !== 'sha1' && mgf1Hash === 'sha1' ? ", Java's default" : '';
  const label = hasLabel
    ? 'the label is not the empty one, and the zeros before the message prove the rest'
    : `the block holds the ${hashName(hash)} of the empty label`;
  return diagnoseWrap(
    code,
    `It was wrapped with OAEP (${hashName(hash)}${hasLabel ? ' or another hash of its length' : ''}, ${mask}${javas}) instead of PKCS #1 v1.5: unmasked with these, ${label}.`,
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
  const diagnosis = diagnoseWrap(
    'pkcs1-type-1',
    `The block begins 00 01 and ${separator - 2} bytes FF: block type 1, the padding of signatures, instead of 00 02 and random bytes.`,
  );
  return { message: block.subarray(separator + 1), diagnosis };
}

/** A message that fills the block with zeros, spaces or itself. */
function openUnpadded(block: Uint8Array): OpenedBlock | undefined {
  const start = block.findIndex((octet) => octet !== 0);
  if (start < 0) return unpadded(new Uint8Array(), `all ${block.length} bytes are zero`);
  if (start >= convincing) {
    return unpadded(block.subarray(start), `${start} zero bytes stand before the message`);
  }
  const end = block.findLastIndex((octet) => octet !== 0) + 1;
  if (block.length - end >= convincing) {
    return unpadded(
      block.subarray(0, end),
      `${block.length - end} zero bytes stand after the message`,
    );
  }
  if (block.every((octet) => octet >= 0x20 && octet < 0x7f)) {
    const text = decodeUtf8(block)?.trim() ?? '';
    return unpadded(Buffer.from(text), 'the whole block is text, filled up with characters');
  }
  return openPkcs7(block);
}

/** Padding of a block cipher, taken for RSA's: n bytes with the value n at the end. */
function openPkcs7(block: Uint8Array): OpenedBlock | undefined {
  const count = block.at(-1) ?? 0;
  const message = block.subarray(0, block.length - count);
  if (count < convincing || count >= block.length) return undefined;
  if (!block.subarray(-count).every((octet) => octet === count)) return undefined;
  return unpadded(
    message,
    `${count} bytes of the value ${count} stand after the message, the padding of block ciphers`,
  );
}

function unpadded(message: Uint8Array, seen: string): OpenedBlock {
  return {
    message,
    diagnosis: diagnoseWrap(
      'no-padding',
      `It was encrypted without PKCS #1 v1.5 padding: ${seen}.`,
    ),
  };
}

/** Padding that somebody built by hand and that a step of RFC 8017 7.2.2 refuses; taken only where text ends it. */
function openHandMade(block: Uint8Array): OpenedBlock | undefined {
  if (block[0] === 0 && block[1] === 2) {
    const separator = block.indexOf(0, 2);
    if (separator < 0) return handMade(trailingText(block), 'no zero byte ends the random bytes');
    const seen = `only ${separator - 2} random bytes stand before the first zero byte, where at least 8 must`;
    return handMade(trailingText(block), seen);
  }
  if (block[0] !== 2) return undefined;
  return handMade(
    trailingText(block),
    'the first byte is 02 and not 00: a byte is missing in front',
  );
}

function handMade(message: Uint8Array | undefined, seen: string): OpenedBlock | undefined {
  if (message === undefined) return undefined;
  const text = `The padding resembles PKCS #1 v1.5 and was made by hand: ${seen}.`;
  return { message, diagnosis: diagnoseWrap('no-padding', text) };
}

/** The printable characters that end the block, where they are as many as no random block has. */
function trailingText(block: Uint8Array): Uint8Array | undefined {
  const start = block.findLastIndex((octet) => octet <= 0x20 || octet >= 0x7f) + 1;
  return block.length - start >= shortestKey ? block.subarray(start) : undefined;
}
