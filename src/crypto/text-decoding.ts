import { decodeUtf8 } from '../bytes.ts';

/** A text as it was meant, and what had to be overlooked for it. */
export interface DecodedText {
  readonly text: string;
  readonly notes: readonly string[];
}

const utf16Note = 'the text is UTF-16, not ASCII or UTF-8';

/** The text in bytes: UTF-8, or UTF-16 as some editors save it. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const utf16 = decodeUtf16(bytes);
  if (utf16 !== undefined) return { text: utf16, notes: [utf16Note] };
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : { text, notes: [] };
}

/** Takes white space around off, a byte order mark, and the NULs of UTF-16 that was read as ASCII. */
export function trimText(content: string): DecodedText {
  const hasMark = content.startsWith('\ufeff');
  const hasNuls = content.includes('\0') && isAscii(content.replaceAll('\0', ''));
  const withoutNuls = hasNuls ? content.replace(/[^\t\n\r -~]/g, '') : content;
  return {
    text: withoutNuls.replace(/^\ufeff/, '').trim(),
    notes: [
      ...(hasMark ? ['a byte order mark stands before it'] : []),
      ...(hasNuls ? [utf16Note] : []),
    ],
  };
}

function decodeUtf16(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  if (bytes.length % 2 !== 0 || (!isLittle && !isBig)) return undefined;
  const copy = Buffer.from(bytes);
  const text = (isLittle ? copy : copy.swap16()).toString('utf16le');
  // other binary data has zeros at the right places too, but not text alone
  return isAscii(text) ? text : undefined;
}

/** Whether a text is printable ASCII; a byte order mark, also one that came out broken, doesn't count. */
function isAscii(text: string): boolean {
  return /^[\ufeff\ufffd]{0,2}[\t\n\r -~]+$/.test(text);
}

/** Whether a text holds control characters other than tab and line ends: then it is no text. */
export function hasControls(text: string): boolean {
  return /[^ -~\u00a0-\uffff\t\n\r]/.test(text);
}
