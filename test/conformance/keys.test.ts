import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { findPattern, findRelation, findResemblance } from '../../src/conformance/keys.ts';
import type { DrawnKey, RunResult } from '../../src/conformance/result.ts';
import { parseCipher } from '../../src/crypto/cipher.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { draws } from '../support/draws.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { applicationWith, verifyDirectly } from './support.ts';

const randomBytes = seededBytes('keys');
const random = (alphabet?: string) => generatePerUserKey(randomBytes, undefined, alphabet);
const hex = () => randomBytes(16).toString('hex');
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the relation of keys', () => {
  const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
  const other = 'b'.repeat(16) + 'c'.repeat(16);
  for (const [related, relation] of [
    [key, ''],
    [key.toUpperCase(), ', in upper or lower case'],
    [[...key].reverse().join(''), ', reversed'],
    [key.slice(5) + key.slice(0, 5), ', rotated'],
  ] as const) {
    it(`is found, wherever the two are${relation}`, () => {
      assert.equal(findRelation([other, key, related]), relation);
      assert.equal(findRelation([key, other, related]), relation);
    });
  }

  it('may be a constant text', () => {
    const keys = [1, 2, 3].map(() => `MY-SHOP-USER-SECRET-KEY-${random().slice(0, 8)}`);
    assert.match(findResemblance(keys)?.message ?? '', /is a constant text, a counter or the time/);
  });
});

type Make = (ptnCd: string, index: number, now: number) => string;

/** Five keys of as many users, made one after the other. */
function keysBy(make: Make): readonly DrawnKey[] {
  return [0, 1, 2, 3, 4].map((index) => {
    const ptnCd = `authcli-${randomBytes(4).toString('hex')}`;
    const now = Date.UTC(2027, 0, 2, 3, 4, 5) + index * 7;
    // The clock that says when a key was requested has fractions of a millisecond.
    return { key: make(ptnCd, index, now), ptnCd, drawnAt: now + randomBytes(1).readUInt8() / 256 };
  });
}

describe('findPattern', () => {
  const seconds = (now: number) => Math.floor(now / 1000);
  for (const [code, title, make] of [
    ['key-from-user-code', 'the MD5 of the user code', md5],
    ['key-from-user-code', 'the user code, filled up', (ptnCd) => ptnCd.padEnd(32, '0')],
    ['key-predictable', 'a counter', (_, index) => `${index + 1}`.padStart(32, '0')],
    ['key-predictable', 'a text and a counter', (_, i) => `my-very-secret-application-key-${i}`],
    ['key-predictable', 'hashes of a counter', (_, index) => md5(`${41 + index}`)],
    ['key-predictable', 'the time', (_, _index, now) => `${now}`.padStart(32, '0')],
    ['key-predictable', 'hashes of the time', (_, _index, now) => md5(`${now + 3}`)],
    ['key-predictable', 'hashes of the seconds', (_, _index, now) => md5(`${seconds(now)}`)],
    ['key-predictable', 'code and time', (ptnCd, _, now) => md5(`${ptnCd}|${now + 2}`)],
    ['key-predictable', 'time and code', (c, _, now) => sha256(`${seconds(now)}${c}`).slice(0, 32)],
    ['key-low-entropy', 'spaces behind', () => random().slice(0, 12).padEnd(32)],
    ['key-low-entropy', 'spaces in front', () => random().slice(0, 12).padStart(32)],
    ['key-constant', 'one character', () => 'x'.repeat(32)],
    ['key-low-entropy', 'two characters at random', () => random('01')],
  ] as const satisfies readonly (readonly [string, string, Make])[]) {
    it(`finds ${code} in ${title}`, () => {
      for (let drawn = 0; drawn < draws(1); drawn += 1)
        assert.equal(findPattern(keysBy(make), 'client')?.code, code);
    });
  }

  const constant = random();
  for (const [title, count, make] of [
    ['letters and digits', 3, () => random()],
    ['hexadecimal digits', 1, hex],
    ['decimal digits', 1, () => random('0123456789')],
    ['UUIDs without dashes', 1, () => hex().replace(/^(.{12}).(.{3})./, '$14$2a')],
    ['Base64 of 24 bytes', 1, () => randomBytes(24).toString('base64')],
    ['one random key for all, which is another check', 1, () => constant],
  ] as const) {
    it(`finds nothing in ${title}`, () => {
      for (let drawn = 0; drawn < draws(count); drawn += 1)
        assert.equal(findPattern(keysBy(make), 'client'), undefined);
    });
  }
});

/** Failed checks with their diagnosis. */
function failuresOf({ checks }: RunResult): readonly string[] {
  const failed = checks.filter(({ fault }) => fault !== undefined);
  return failed.map(({ check, fault }) => `${check.id} ${fault?.diagnosis?.code}`);
}

/** Makes one key in `oneIn` wrong. Every draw follows from the seed, which names the run. */
function sometimes(oneIn: number, change: (right: string) => string, seed: string) {
  const { below } = seededRandom(seed);
  return applicationWith({ key: (right) => (below(oneIn) === 0 ? change(right) : right) });
}

/** Draws each key from a pool of that many. */
function drawingFrom(size: number, seed: string) {
  const { bytes, pick } = seededRandom(seed);
  const keys = Array.from({ length: size }, () => Buffer.from(bytes(16)).toString('hex'));
  return applicationWith({ key: () => pick(keys) });
}

const cut = (right: string) => right.slice(2);

/** The seeds of as many runs. */
const seeds = (count: number) => Array.from({ length: draws(count) }, (_, run) => `${run}`);

describe('an application that sometimes makes keys of a wrong form', () => {
  for (const [title, change, observed] of [
    ['30 characters', cut, /^30 .*, in \d+ of \d+ keys$/],
    ['quotation marks', (right: string) => `"${right}"`, /./],
    ['a line break', (right: string) => `${right}\n`, /./],
  ] as const) {
    it(`fails key-length alone: ${title}`, async () => {
      for (const seed of seeds(1)) {
        const { checks } = await verifyDirectly(sometimes(4, change, seed));
        const [failed, ...others] = checks.filter(({ fault }) => fault !== undefined);
        assert.deepEqual([failed?.check.id, others], ['key-exchange/key-length', []]);
        assert.match(`${failed?.fault?.observed}`, observed);
      }
    });
  }
});

describe('an application that hands out prepared keys', () => {
  // Of 17 keys from 16 none is shared once in 3,189 runs; with the first 200 seeds never.
  for (const [size, users] of [
    [3, undefined],
    [16, undefined],
    [16, ['a-1', 'b-2', 'c-3', 'd-4']],
  ] as const) {
    it(`fails key-per-user every time: ${size} keys for ${users ?? 'new users'}`, async () => {
      for (const seed of seeds(2)) {
        const check = ['key-exchange/key-per-user'];
        const changes = { check, seed, userCodes: users };
        const result = await verifyDirectly(drawingFrom(size, seed), changes);
        assert.deepEqual(failuresOf(result), ['key-exchange/key-per-user key-repeated'], seed);
        if (users) assert.equal(result.checks[0]?.exchanges.length, 17);
      }
    });
  }

  it('fails new-key-each-time every time where one user may sign up', async () => {
    for (const seed of seeds(1)) {
      const result = await verifyDirectly(drawingFrom(16, seed), { userCodes: ['a'] });
      assert.deepEqual(failuresOf(result), ['key-exchange/new-key-each-time key-repeated']);
    }
  });

  it('passes where each user keeps a key of their own', async () => {
    const application = applicationWith({ key: (right, { user }) => user?.key.reveal() ?? right });
    const userCodes = ['a-1', 'b-2', 'c-3', 'd-4'];
    const check = ['key-exchange/key-per-user'];
    assert.deepEqual(failuresOf(await verifyDirectly(application, { check, userCodes })), []);
  });
});

describe('keys of any form end no run as a mistake of the caller', () => {
  const forms = ['', 'x'.repeat(192), '😀'.repeat(32), `${'x'.repeat(31)}가`, '\0'.repeat(32)];
  for (const notation of ['default', 'aes-128-cbc?key=hex', 'aes-256-cbc?iv=key-tail']) {
    it(notation, async () => {
      const cipher = parseCipher(notation);
      for (const seed of seeds(1)) {
        const { pick } = seededRandom(`${notation} ${seed}`);
        const application = applicationWith(
          { key: (right) => pick([right, ...forms]) },
          { cipher },
        );
        const { checks } = await verifyDirectly(application, { cipher });
        assert.ok(checks.some(({ status }) => status === 'failed'));
      }
    });
  }
});

it('every key that an application hands out is announced as a secret, also where it should refuse', async () => {
  const keys: string[] = [];
  const key = (right: string) => {
    keys.push(right);
    return right;
  };
  const announced = new Set<string | undefined>();
  const { exchanges } = await verifyDirectly(applicationWith({ key, refusal: () => undefined }), {
    check: ['key-exchange/rejects-foreign-client'],
    emit: (event) => {
      if (event.type === 'secret') announced.add(Secret.textOf(event.value));
    },
  });
  const intents = exchanges.map(({ intent }) => intent);
  assert.ok(intents.includes('right') && intents.includes('wrong'), intents.join());
  assert.equal(keys.length, exchanges.length);
  assert.deepEqual(
    keys.filter((each) => !announced.has(each)),
    [],
  );
});
