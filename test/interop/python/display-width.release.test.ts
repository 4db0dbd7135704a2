import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { displayWidth } from '../../../src/reports/human.ts';

/** Every character of Python's Unicode tables that takes a place of its own, narrow ones and wide ones. */
const script = `
import json, unicodedata
narrow, wide = [], []
for code in range(0x20, 0x40000):
    char = chr(code)
    if unicodedata.category(char) in ('Cn', 'Cs', 'Co', 'Cc', 'Cf', 'Mn', 'Me', 'Mc', 'Zl', 'Zp'):
        continue
    (wide if unicodedata.east_asian_width(char) in 'WF' else narrow).append(code)
print(json.dumps([narrow, wide]))
`;

it('the width of characters is that of the East Asian Width property, as Python has it', () => {
  const printed = execFileSync('python3', ['-c', script], { encoding: 'utf8', maxBuffer: 1e8 });
  const [narrow, wide] = JSON.parse(printed) as [number[], number[]];
  const wrong = (codes: readonly number[], columns: number) =>
    codes.filter((code) => displayWidth(String.fromCodePoint(code)) !== columns);
  assert.ok(wide.length > 100_000);
  // Vowels and final consonants of Jamo join the syllable before them; two of these letters are a flag.
  const isPart = (code: number) =>
    (code >= 0x1160 && code <= 0x11ff) || (code >= 0x1f1e6 && code <= 0x1f1ff);
  assert.deepEqual(
    wrong(narrow, 1).filter((code) => !isPart(code)),
    [],
  );
  assert.deepEqual(wrong(wide, 2), []);
});
