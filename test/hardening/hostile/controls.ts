import { accepted, type Ending, type HostileResponse, message, wrong } from './response.ts';
import type { RightResponse } from './right-responses.ts';

/** Characters that move a cursor, colour, ring, retitle, reorder or hide. */
const controls: Readonly<Record<string, string>> = {
  'a clear screen': '\u001b[2J\u001b[H',
  'a window title': '\u001b]0;owned\u0007',
  'a hyperlink': '\u001b]8;;http://evil.example\u001b\\here\u001b]8;;\u001b\\',
  'a device query': '\u001bP$q"p\u001b\\\u001b[6n',
  'an 8-bit CSI': '\u009b31m',
  'an 8-bit OSC': '\u009d0;owned\u009c',
  backspaces: 'safe\b\b\b\bevil',
  'a carriage return': 'safe\revil',
  'line feeds': 'safe\nerror: forged\n{"ok":true}',
  'a NUL, BEL and DEL': '\u0000\u0007\u007f',
  'a reversed reading': '\u202etxt.exe\u202c',
  isolates: '\u2066\u2067hidden\u2069\u2069',
  marks: '\u200e\u200f\u061c\ufeff',
  separators: 'safe\u2028evil\u2029',
  'lone surrogates': '\ud800x\udc00',
  'tags and variation': '\u{e0041}\u{e007f}\ufe0f',
};

/** Where such text may be: what it does to the response, and how a command then ends. */
const places: Readonly<
  Record<string, readonly [Ending, (right: RightResponse, text: string) => unknown]>
> = {
  'the message of success': [accepted, (right, text) => ({ ...right, message: text })],
  code: [wrong('code-not-success'), (right, text) => ({ ...right, code: text })],
  'the message of a refusal': [
    wrong('code-not-success'),
    (_, text) => ({ code: '4001', message: text }),
  ],
  'an unknown field': [accepted, (right, text) => ({ ...right, [`x${text}`]: text, note: [text] })],
  'the name of a lost field': [
    wrong('field-missing'),
    (_, text) => ({ [`x${text}`]: text, message: text }),
  ],
  'a string instead of an object': [wrong('not-json'), (_, text) => text],
};

function inBody(place: string, name: string, text: string): HostileResponse {
  const [ending, edit] = places[place] ?? [accepted, (right: RightResponse) => right];
  return {
    name: `${name} in ${place}`,
    ending,
    serve: (line, right) => line.send(message(JSON.stringify(edit(right, text)))),
  };
}

/** Every field of every result at once: each command sees those that it asked for. */
function inResult(name: string, text: string): HostileResponse {
  return {
    name: `${name} in the result`,
    ending: { exit: 1 },
    serve: (line, right) => {
      const result = Object.fromEntries(Object.keys(right.result).map((field) => [field, text]));
      line.send(message(JSON.stringify({ ...right, result })));
    },
  };
}

/** One field alone, where the others are right: what is printed though it could not be checked. */
function inField(field: string, name: string, text: string): HostileResponse {
  return {
    name: `${name} in ${field}`,
    ending: { exit: 'any' },
    serve: (line, right) => {
      const result = field in right.result ? { ...right.result, [field]: text } : right.result;
      line.send(message(JSON.stringify({ ...right, result })));
    },
  };
}

/** What RFC 9110 5.5 lets a header carry: Latin-1 with its 8-bit controls. */
function inHead(name: string, status: string, headers: readonly string[], ending = accepted) {
  const serve: HostileResponse['serve'] = (line, right) =>
    line.send(message(JSON.stringify(right), { status, headers }));
  return { name, ending, serve };
}

const eightBit = '\u009b2J\u009d0;owned\u009c\u0085';
const utf8 = Buffer.from('\u202e\u2066\u009b31m').toString('latin1');
const ok = 'HTTP/1.1 200 OK';

/** Terminal escapes and bidirectional controls in everything that a peer can say. */
export const controlTexts: readonly HostileResponse[] = [
  ...Object.entries(controls).flatMap(([name, text]) => [
    ...Object.keys(places).map((place) => inBody(place, name, text)),
    inResult(name, text),
    ...['acs_token', 'ptn_cd'].map((field) => inField(field, name, text)),
  ]),
  ...[eightBit, utf8].flatMap((text, index) => {
    const kind = index === 0 ? '8-bit controls' : 'controls as UTF-8';
    return [
      inHead(`${kind} in a header`, ok, [`x-note: ${text}`]),
      inHead(`${kind} in the content type`, ok, [`content-type: ${text}`]),
      inHead(
        `${kind} in the location`,
        'HTTP/1.1 302 Found',
        [`location: /${text}`],
        wrong('redirect'),
      ),
      inHead(
        `${kind} in the content encoding`,
        ok,
        [`content-encoding: ${text}`],
        wrong('not-json'),
      ),
      inHead(`${kind} in the date`, ok, [`date: ${text}`]),
      inHead(`${kind} in allow`, ok, [`allow: ${text}`]),
      inHead(`${kind} in the reason`, `HTTP/1.1 200 ${text}`, []),
      inHead(`${kind} in the reason of 500`, `HTTP/1.1 500 ${text}`, []),
    ];
  }),
  {
    name: 'escapes in a page',
    ending: wrong('html-instead-of-json'),
    serve: (line) => line.send(message('<title>\u001b[31m\u202eLogin</title><h1>\u009b2J</h1>')),
  },
  {
    name: 'escapes in plain text',
    ending: wrong('not-json'),
    serve: (line) => line.send(message('\u001b[2J\u001b]0;owned\u0007 service unavailable \u202e')),
  },
];
