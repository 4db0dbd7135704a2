import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { style } from '../../../src/reports/html/style.ts';

/** The colours of one scheme: what `:root` says in that part of the style sheet. */
function coloursOf(part: string): ReadonlyMap<string, string> {
  return new Map(
    [...part.matchAll(/(--[a-z0-9-]+): (#[0-9a-f]{6})/g)].map((m) => [m[1] ?? '', m[2] ?? '']),
  );
}

const [lightPart = '', rest = ''] = style.split('@media (prefers-color-scheme: dark)');
const [darkPart = '', printPart = ''] = rest.split('@media print');
const schemes = { light: lightPart, dark: darkPart, print: printPart };

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Text on each background it is on, which a browser test can't measure inside SVG. */
const text: Readonly<Record<string, readonly string[]>> = {
  '--page': ['--text', '--muted', '--link', '--passed', '--failed', '--warned', '--skipped'],
  '--card': ['--text', '--muted', '--link', '--skipped'],
  '--code': ['--text', '--muted'],
  '--failed-wash': ['--text', '--failed', '--passed', '--warned', '--skipped'],
  '--passed-wash': ['--text', '--failed', '--passed', '--warned', '--skipped'],
  '--warned-wash': ['--text', '--failed', '--passed', '--warned', '--skipped'],
  '--evidence-wash': ['--text', '--failed'],
};

/** Lines and points that mean something. */
const graphics = ['--s0', '--s1', '--strong-line', '--failed', '--link'];

describe('the colours of the reports', () => {
  for (const [scheme, part] of Object.entries(schemes)) {
    const colours = coloursOf(part);
    const ratio = (a: string, b: string) => contrast(colours.get(a) ?? '', colours.get(b) ?? '');

    it(`are all there (${scheme})`, () => {
      assert.deepEqual([...colours.keys()].sort(), [...coloursOf(schemes.light).keys()].sort());
    });

    it(`have contrast enough to be read: 4.5 to 1 (${scheme})`, () => {
      for (const [ground, names] of Object.entries(text)) {
        for (const name of names) {
          const found = ratio(name, ground);
          assert.ok(found >= 4.5, `${name} on ${ground}: ${found.toFixed(2)}`);
        }
      }
    });

    it(`have contrast enough to be seen: 3 to 1 (${scheme})`, () => {
      for (const name of graphics) {
        assert.ok(ratio(name, '--page') >= 3, `${name}: ${ratio(name, '--page').toFixed(2)}`);
      }
    });
  }
});
