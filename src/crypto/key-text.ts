import { looksLikeDer, readDerKey, type UnreadDer } from './der-keys.ts';
import { type KeyEncoding, nameEncoding, nameLayers } from './encoding-names.ts';
import { readKeyForm } from './key-forms.ts';
import type { KeyKind, KeyRefusal, KeyStructure } from './key-structure.ts';
import { readOpenSshBlob } from './openssh.ts';
import { decodeText, hasControls, trimText } from './text-decoding.ts';
import { peel } from './text-layers.ts';

/** What a text was recognised as: the key it holds, or why it holds none. */
export interface KeyRecognition {
  /** The outermost encoding of bytes; absent for text that encodes nothing. */
  readonly encoding?: KeyEncoding;
  /** Absent where no key can be read. */
  readonly key?: KeyStructure;
  /** What the text is meant as, also where it can't be read. */
  readonly kind?: KeyKind;
  /** What a strict reader would stumble on, outermost first, as sentences without a full stop. */
  readonly notes: readonly string[];
  /** Why the key can't be used, or isn't one. */
  readonly refusal?: KeyRefusal;
  /** The innermost bytes that an encoding gave, where they are no key. */
  readonly bytes?: Uint8Array;
}

/** No key, certificate or chain is as long; longer input isn't looked into. */
const longestText = 256 * 1024;
const mostLayers = 8;

const emptyText: KeyRefusal = { code: 'empty', reason: 'it is empty' };

/**
 * Recognises the key in any text or file a person may have in hand, private keys included, through
 * up to eight layers of encoding. Never throws, and never takes a secret into its notes.
 */
export function recogniseKey(input: string | Uint8Array): KeyRecognition {
  if (input.length > longestText) {
    const reason = `it is ${input.length} ${typeof input === 'string' ? 'characters' : 'bytes'} long, far too long for a key`;
    return { notes: [], refusal: { code: 'too-long', reason } };
  }
  const isBinary =
    typeof input !== 'string' && (looksLikeDer(input) || readOpenSshBlob(input) !== undefined);
  return look(input, isBinary ? ['der'] : [], [], mostLayers);
}

function look(
  content: string | Uint8Array,
  encodings: readonly KeyEncoding[],
  notes: readonly string[],
  layersLeft: number,
): KeyRecognition {
  if (typeof content !== 'string') return lookAtBytes(content, encodings, notes, layersLeft);
  const { text, notes: markNotes } = trimText(content);
  const all = [...notes, ...markNotes];
  if (text === '') return { encoding: nameEncoding(encodings), notes: all, refusal: emptyText };
  const found = readKeyForm(text);
  if (found !== undefined) return conclude(found.read, [...encodings, found.encoding], all);
  const peeled = layersLeft > 0 ? peel(text) : undefined;
  if (peeled === undefined)
    return { encoding: nameEncoding(encodings), notes: all, refusal: notAKey(text) };
  const nextEncodings = peeled.encoding ? [...encodings, peeled.encoding] : encodings;
  return look(peeled.content, nextEncodings, [...all, ...peeled.notes], layersLeft - 1);
}

function lookAtBytes(
  bytes: Uint8Array,
  encodings: readonly KeyEncoding[],
  notes: readonly string[],
  layersLeft: number,
): KeyRecognition {
  const blob = readOpenSshBlob(bytes);
  if (blob !== undefined) return conclude(blob, encodings, notes);
  if (looksLikeDer(bytes)) return conclude(readDerKey(bytes), encodings, notes);
  const decoded = decodeText(bytes);
  const isText = decoded !== undefined && !hasControls(decoded.text);
  if (isText) {
    const inner = look(decoded.text, encodings, [...notes, ...decoded.notes], layersLeft);
    if (encodings.length === 0 || inner.refusal?.code !== 'not-a-key') return inner;
  }
  const refusal: KeyRefusal = {
    code: 'not-a-key',
    reason: `read as ${nameLayers(encodings) || 'a file'} it is ${bytes.length} bytes that are no key`,
  };
  return { encoding: nameEncoding(encodings), notes, refusal, bytes };
}

function conclude(
  read: KeyStructure | UnreadDer,
  encodings: readonly KeyEncoding[],
  notes: readonly string[],
): KeyRecognition {
  const encoding = nameEncoding(encodings);
  if (!('format' in read)) {
    return {
      encoding,
      kind: read.kind,
      notes: [...notes, ...(read.notes ?? [])],
      refusal: read.refusal,
    };
  }
  const layered =
    encodings.length > 1
      ? [...notes, `it is encoded more than once: ${nameLayers(encodings)}`]
      : notes;
  return {
    encoding,
    key: read,
    kind: read.kind,
    notes: [...layered, ...read.notes],
    refusal: read.refusal,
  };
}

function notAKey(text: string): KeyRefusal {
  const isMangledDer = text.startsWith('0\ufffd');
  return {
    code: 'not-a-key',
    reason: isMangledDer
      ? 'it is a binary DER file that was read as text, which destroyed it'
      : 'it is no key in any form known here',
  };
}
