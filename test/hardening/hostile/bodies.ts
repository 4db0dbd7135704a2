import { accepted, body, type HostileResponse, wrong } from './response.ts';

const notJson = wrong('not-json');
const mebibyte = 1024 * 1024;

/** The right answer with further members. */
function beside(right: string, members: string): string {
  return `${right.slice(0, -1)},${members}}`;
}

/** Bodies of JSON that is cut, deep, large, ambiguous or intended to break its reader. */
export const bodies: readonly HostileResponse[] = [
  body('the first byte alone', notJson, (right) => right.slice(0, 1)),
  body('cut in the middle', notJson, (right) => right.slice(0, right.length / 2)),
  body('cut before the last bracket', notJson, (right) => right.slice(0, -1)),
  body('cut within an escape', notJson, '{"code":"0000","message":"\\u00'),
  body('two answers at once', notJson, (right) => right + right),
  body('text behind the answer', notJson, (right) => `${right}\n<!-- 3 ms -->`),
  body('100,000 arrays deep', notJson, '['.repeat(100_000) + ']'.repeat(100_000)),
  body('100,000 arrays deep, never closed', notJson, '['.repeat(100_000)),
  body('100,000 objects deep', notJson, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  body('100,000 levels beside the answer', notJson, (right) =>
    beside(right, `"x":${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  ),
  body('900 levels beside the answer', accepted, (right) =>
    beside(right, `"x":${'['.repeat(900)}${']'.repeat(900)}`),
  ),
  body('100,000 levels in a string', accepted, (right) =>
    beside(right, `"x":${JSON.stringify(`${'{"a":'.repeat(100_000)}`)}`),
  ),
  body('exactly as large as is allowed', accepted, (right) => right.padEnd(mebibyte)),
  body('one byte larger than is allowed', wrong('body-too-large'), (right) =>
    right.padEnd(mebibyte + 1),
  ),
  body('40,000 fields', accepted, (right) =>
    beside(right, Array.from({ length: 40_000 }, (_, index) => `"field${index}":1`).join()),
  ),
  body('300,000 elements', accepted, (right) => beside(right, `"x":[${'0,'.repeat(300_000)}0]`)),
  body('a message of 900 KB', accepted, (_, value) =>
    JSON.stringify({ ...value, message: 'x'.repeat(900_000) }),
  ),
  body('a field name of 900 KB', accepted, (right) => beside(right, `"${'x'.repeat(900_000)}":1`)),
  body('a number of 900,000 digits', accepted, (right) =>
    beside(right, `"x":${'9'.repeat(900_000)}`),
  ),
  body('numbers beyond every range', accepted, (right) =>
    beside(right, '"x":[1e999,-1e999,1e-999,-0,9007199254740993]'),
  ),
  body('900,000 backslashes', accepted, (right) =>
    beside(right, `"x":"${'\\\\'.repeat(450_000)}"`),
  ),
  body('code twice, success last', notJson, (right) => `{"code":"0001",${right.slice(1)}`),
  body('code twice, success first', notJson, (right) => beside(right, '"code":"0001"')),
  body('code twice, alike', notJson, (right) => beside(right, '"code":"0000"')),
  body('code twice, once with escapes', notJson, (right) => beside(right, '"\\u0063ode":"0001"')),
  body('message twice', notJson, (right) => beside(right, '"message":"other"')),
  body('result twice', notJson, (right) => beside(right, '"result":{}')),
  body('an unknown field twice', accepted, (right) => beside(right, '"x":1,"x":2')),
  body('30,000 names twice, and then code', notJson, (right) => {
    const twice = Array.from({ length: 30_000 }, (_, index) => `"f${index}":1,"f${index}":2`);
    return beside(right, `${twice.join()},"code":"0000"`);
  }),
  body('__proto__ as a field', accepted, (right) =>
    beside(right, '"__proto__":{"code":"9999","polluted":true}'),
  ),
  body(
    '__proto__ in the place of all fields',
    wrong('field-misplaced'),
    (right) => `{"__proto__":${right}}`,
  ),
  body('constructor and prototype', accepted, (right) =>
    beside(right, '"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":1'),
  ),
  body('toJSON and then', accepted, (right) =>
    beside(right, '"toJSON":"x","then":"x","valueOf":"x","length":-1'),
  ),
  body('code in an object with toString', wrong('code-not-string'), (_, value) =>
    JSON.stringify({ ...value, code: { toString: '0000' } }),
  ),
  body('code as a number', wrong('code-not-string'), (_, value) =>
    JSON.stringify({ ...value, code: 0 }),
  ),
  body('code 0000 unquoted', wrong('code-not-string'), (right) => right.replace('"0000"', '0000')),
  body('code with a NUL behind', wrong('code-not-success'), (_, value) =>
    JSON.stringify({ ...value, code: '0000\0' }),
  ),
  body('code in full-width digits', wrong('code-not-success'), (_, value) =>
    JSON.stringify({ ...value, code: '００００' }),
  ),
  body('null', notJson, 'null'),
  body('a number', notJson, '0'),
  body('a string', notJson, '"0000"'),
  body('an array', notJson, (right) => `[${right}]`),
  body('JSON in a string', notJson, (right) => JSON.stringify(right)),
  body('NaN', notJson, '{"code":NaN}'),
  body('a comment', notJson, (right) => `/* ok */ ${right}`),
  body('a prefix against hijacking', notJson, (right) => `)]}',\n${right}`),
  body('a web page', wrong('html-instead-of-json'), '<!doctype html><title>Login</title>'),
  body('a page of 900 KB of tags', wrong('html-instead-of-json'), `<html>${'<b'.repeat(450_000)}`),
  body(
    '900 KB of brackets behind a page',
    wrong('html-instead-of-json'),
    `<p>${'{'.repeat(900_000)}}`,
  ),
  body(
    'XML with entities that grow',
    notJson,
    `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aa">]><x>&a;</x>`,
  ),
  body('nothing', wrong('empty-body'), ''),
  body('a mebibyte of white space', wrong('empty-body'), ' '.repeat(mebibyte)),
];
