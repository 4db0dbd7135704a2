/** A way in which a peer or a program may write a secret. */
export type Encoding = (secret: string) => string;

const inBytes = (text: string, write: (hex: string, byte: number) => string, between = '') =>
  Array.from(Buffer.from(text), (byte) => write(hexOf(byte), byte)).join(between);
const hexOf = (value: number, digits = 2): string => value.toString(16).padStart(digits, '0');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function wrapped(text: string, width: number, lineEnd: string): string {
  return text.replace(new RegExp(`.{${width}}(?=.)`, 'gu'), `$&${lineEnd}`);
}

function escaped(text: string, toText: (unit: number) => string, pattern = /[\s\S]/g): string {
  return text.replace(pattern, (unit) => toText(unit.charCodeAt(0)));
}

function percent(text: string, upper: boolean, kept = /[A-Za-z0-9]/): string {
  return inBytes(text, (hex, byte) => {
    const character = String.fromCharCode(byte);
    if (byte < 128 && kept.test(character)) return character;
    return `%${upper ? hex.toUpperCase() : hex}`;
  });
}

export const named: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const inJson: Encoding = (text) => JSON.stringify(text);
const upperUnit = (unit: number): string => `\\u${hexOf(unit, 4).toUpperCase()}`;

/** Every encoding that docs/security.md promises. */
export const encodings: Readonly<Record<string, Encoding>> = {
  plain: (text) => text,
  'in JSON': inJson,
  'in JSON in JSON': (text) => inJson(inJson(text)),
  'in JSON in JSON in JSON': (text) => inJson(inJson(inJson(text))),
  'as \\u': (text) => escaped(text, (unit) => `\\u${hexOf(unit, 4)}`),
  'as \\u in capitals': (text) => escaped(text, upperUnit),
  'by .NET': (text) => escaped(JSON.stringify(text), upperUnit, /[+&<>'`]|[^ -~]/g),
  'as \\x': (text) => inBytes(text, (hex) => `\\x${hex}`),
  'percent-encoded': (text) => percent(text, true),
  'percent-encoded in small letters': (text) => percent(text, false),
  'percent-encoded throughout': (text) => percent(text, true, /(?!)/),
  'percent-encoded twice': (text) => percent(percent(text, true), true),
  'in a form': (text) => percent(text, true, /[A-Za-z0-9 ]/).replaceAll(' ', '+'),
  'as HTML': (text) => text.replace(/[&<>"']/g, (character) => named[character] ?? ''),
  'as decimal references': (text) =>
    Array.from(text, (each) => `&#${each.codePointAt(0)};`).join(''),
  'as hexadecimal references': (text) =>
    Array.from(text, (each) => `&#x${each.codePointAt(0)?.toString(16)};`).join(''),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in capital hexadecimal': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in hexadecimal with colons': (text) => inBytes(text, (hex) => hex, ':'),
  'in hexadecimal with spaces': (text) => inBytes(text, (hex) => hex.toUpperCase(), ' '),
  'in Base64': base64,
  'in Base64 at offset 1': (text) => base64(`x${text}y`),
  'in Base64 at offset 2': (text) => base64(`xy${text}z`),
  'in Base64url': (text) => Buffer.from(text).toString('base64url'),
  'in Base64 of JSON': (text) => base64(inJson(text)),
  'in wrapped Base64': (text) => wrapped(base64(`x${text}`), 20, '\r\n'),
  wrapped: (text) => wrapped(text, 7, '\n'),
  'wrapped and indented': (text) => wrapped(text, 9, '\r\n    '),
  'wrapped in JSON': (text) => inJson(wrapped(text, 7, '\n')),
  'in a shell': (text) => `'${text.replaceAll("'", "'\\''")}'`,
  'as JSON in a shell': (text) => `'${inJson(text).replaceAll("'", "'\\''")}'`,
};
