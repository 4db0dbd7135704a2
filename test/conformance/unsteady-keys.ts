import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { RunResult } from '../../src/conformance/result.ts';
import { givenUsers } from '../../src/conformance/test-data.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { applicationWith, verifyDirectly } from './directly.ts';
import { troubles } from './support.ts';

/** Failed checks with their diagnosis. */
function failuresOf({ checks }: RunResult): readonly string[] {
  return checks
    .filter(({ fault }) => fault !== undefined)
    .map(({ check, fault }) => `${check.id} ${fault?.diagnosis?.code}`);
}

/** Makes every key but a share of one in `oneIn`, which `change` makes wrong. */
function sometimes(oneIn: number, change: (right: string) => string) {
  return applicationWith({ key: (right) => (Math.random() * oneIn < 1 ? change(right) : right) });
}

/** The tests with as many runs each; those that verify wholly have a tenth of them. */
export function testsOfUnsteadyKeys(runs: number): void {
  describe('an application that sometimes makes keys of a wrong length', () => {
    it('fails key-length, and no run ends as a mistake of the caller', async () => {
      for (let run = 0; run < runs / 10; run += 1) {
        const result = await verifyDirectly(sometimes(4, (right) => right.slice(2)));
        assert.deepEqual(failuresOf(result), ['key-exchange/key-length key-length'], `${run}`);
        assert.match(
          result.checks.find(({ fault }) => fault)?.fault?.observed ?? '',
          /^30 characters, in \d+ of \d+ keys$/,
        );
      }
    });

    it('is found every time by key-length alone, if every second key is wrong', async () => {
      for (let run = 0; run < runs; run += 1) {
        const application = sometimes(2, (right) => right.slice(2));
        const result = await verifyDirectly(application, { check: ['key-exchange/key-length'] });
        assert.deepEqual(failuresOf(result), ['key-exchange/key-length key-length'], `${run}`);
      }
    });

    for (const [title, change] of [
      ['quotation marks', (right: string) => `"${right}"`],
      ['a line break', (right: string) => `${right}\n`],
    ] as const) {
      it(`or with ${title}`, async () => {
        for (let run = 0; run < runs / 5; run += 1) {
          const failures = failuresOf(await verifyDirectly(sometimes(4, change)));
          assert.equal(failures.length, 1, failures.join('\n'));
          assert.match(failures[0] ?? '', /^key-exchange\/key-length /);
        }
      });
    }

    it('judges nothing else by keys of 30 characters throughout', async () => {
      const result = await verifyDirectly(applicationWith({ key: (right) => right.slice(2) }));
      assert.deepEqual(failuresOf(result), ['key-exchange/key-length key-length']);
    });
  });

  describe('an application that hands out prepared keys', () => {
    for (const [title, size] of [
      ['three', 3],
      ['sixteen', 16],
    ] as const) {
      it(`fails key-per-user every time with ${title} of them`, async () => {
        for (let run = 0; run < runs; run += 1) {
          const keys = Array.from({ length: size }, () => randomBytes(16).toString('hex'));
          const application = applicationWith({
            key: () => keys[Math.floor(Math.random() * size)] ?? '',
          });
          const check = ['key-exchange/key-per-user'];
          const failures = failuresOf(await verifyDirectly(application, { check, seed: `${run}` }));
          assert.deepEqual(failures, ['key-exchange/key-per-user key-repeated'], `${run}`);
        }
      });
    }

    it('fails it too where four users may sign up', async () => {
      let found = 0;
      for (let run = 0; run < runs; run += 1) {
        const keys = Array.from({ length: 16 }, () => randomBytes(16).toString('hex'));
        const application = applicationWith({
          key: () => keys[Math.floor(Math.random() * 16)] ?? '',
        });
        const users = givenUsers(['a-1', 'b-2', 'c-3', 'd-4']);
        const check = ['key-exchange/key-per-user'];
        found += failuresOf(await verifyDirectly(application, { check, users })).length;
      }
      assert.ok(found >= runs - 5, `${found} of ${runs}: six missed ones are no chance`);
    });

    it('fails new-key-each-time every time where one user may sign up', async () => {
      for (let run = 0; run < runs / 10; run += 1) {
        const keys = Array.from({ length: 16 }, () => randomBytes(16).toString('hex'));
        const application = applicationWith({
          key: () => keys[Math.floor(Math.random() * 16)] ?? '',
        });
        const failures = failuresOf(
          await verifyDirectly(application, { users: givenUsers(['a']) }),
        );
        assert.deepEqual(failures, ['key-exchange/new-key-each-time key-repeated']);
      }
    });

    it('passes where each user keeps a key of their own', async () => {
      const application = applicationWith({
        key: (right, { user }) => user?.key.reveal() ?? right,
      });
      const users = givenUsers(['a-1', 'b-2', 'c-3', 'd-4']);
      const check = ['key-exchange/key-per-user'];
      assert.deepEqual(failuresOf(await verifyDirectly(application, { check, users })), []);
    });
  });

  describe('keys of any form', () => {
    const forms: readonly ((right: string) => string)[] = [
      (right) => right,
      () => '',
      () => 'x',
      (right) => right.repeat(6),
      () => '😀'.repeat(32),
      (right) => `${right.slice(0, 31)}가`,
      () => '\0'.repeat(32),
      (right) => right.replace(/./g, ' '),
    ];
    for (const notation of [
      'default',
      'aes-128-cbc?key=hex',
      'aes-256-gcm',
      'aes-256-cbc?iv=key-tail',
    ]) {
      it(`end no run as a mistake of the caller, under ${notation}`, async () => {
        const cipher = parseCipher(notation);
        for (let run = 0; run < runs / 5; run += 1) {
          const key = (right: string) =>
            forms[Math.floor(Math.random() * forms.length)]?.(right) ?? '';
          const { checks } = await verifyDirectly(applicationWith({ key }, cipher), { cipher });
          assert.ok(checks.some(({ status }) => status === 'failed'));
        }
      });
    }
  });

  describe('keys made of the time', () => {
    for (const [title, text] of [
      ['milliseconds', () => `${Date.now()}`],
      ['user code and milliseconds', (ptnCd: string) => `${ptnCd}-${Date.now()}`],
      ['seconds and user code', (ptnCd: string) => `${Math.floor(Date.now() / 1000)}${ptnCd}`],
    ] as const) {
      it(`are predictable: the MD5 of ${title}`, async () => {
        for (let run = 0; run < runs / 10; run += 1) {
          const application = applicationWith({
            key: (_, { ptnCd }) => createHash('md5').update(text(ptnCd)).digest('hex'),
          });
          const check = ['key-exchange/key-is-random'];
          const failures = failuresOf(await verifyDirectly(application, { check }));
          assert.deepEqual(failures, ['key-exchange/key-is-random key-predictable']);
        }
      });
    }
  });

  it('the reference application passes without a network too', async () => {
    assert.deepEqual(troubles(await verifyDirectly(applicationWith({}))), []);
  });
}
