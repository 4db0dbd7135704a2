import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeUtf8, encodeBase64, encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { anyCharacter } from '../support/any-character.ts';
import { draws } from '../support/draws.ts';
import { fc } from '../support/fast-check.ts';
import { payloadFixtures } from '../support/payload-fixtures.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = 'EeYa89itM2rvZQGKEOwTLvFnslqlGaJK';
const json = '{"email":"kim@example.com","name":"임민수"}';
const { bytes } = seededRandom('identification');

function seal(text: string | Uint8Array, notation: string, withKey = key): string {
  const plain = typeof text === 'string' ? encodeUtf8(text) : text;
  return encryptPayload(plain, withKey, parseCipher(notation), bytes);
}

function summary(...args: Parameters<typeof identifyCipher>): string[] {
  return identifyCipher(...args).map(({ cipher, confidence }) => `${confidence} ${cipher}`);
}

describe('cipher identification', () => {
  it('finds the cipher of every fixture, by its plaintext where the IV is fixed', () => {
    for (const { maker, cipher, key: rowKey, kind, plaintext, payload } of payloadFixtures) {
      const knownPlaintext = cipher.includes('iv=hex:') ? plaintext : undefined;
      const [best] = identifyCipher([payload], rowKey, { kind, knownPlaintext });
      assert.equal(best?.cipher, cipher, `made by ${maker}`);
      assert.equal(decodeUtf8(best.plaintext), plaintext);
      assert.notEqual(best.confidence, 'possible');
    }
  });

  it('is not certain where the rest of the text is clean under another IV', () => {
    const found = summary([seal(json, 'aes-256-cbc?iv=zero')], key);
    assert.match(found[0] ?? '', /^likely aes-256-cbc\?key=utf8&iv=zero&padding=pkcs7/);
    assert.ok(found.some((line) => line.startsWith('possible aes-256-cbc?key=utf8&iv=prefix')));
  });

  it('puts the stricter padding and Base64 first among equals', () => {
    const oneByteOfPadding = '0123456789abcde';
    const payload = Array.from({ length: 300 }, () => seal(oneByteOfPadding, 'default'));
    const plainBase64 = payload.find((text) => !/[+/]/.test(text)) ?? assert.fail();
    const found = identifyCipher([plainBase64], key).map(({ cipher }) => cipher.slice(39));
    assert.deepEqual(found.slice(0, 2), ['pkcs7&encoding=base64', 'pkcs7&encoding=base64url']);
    const paddings = found.filter((end) =>
      /^(?:pkcs7|ansix923|iso10126)&encoding=base64$/.test(end),
    );
    const order = ['pkcs7', 'ansix923', 'iso10126'].map((name) => `${name}&encoding=base64`);
    assert.deepEqual(paddings, order);
  });

  it('takes a missing "=" for base64url', () => {
    const payload =
      'FTMTSjLPsk0eV0T6B1V0GLCdQKh7iJGGA41wEc3mJPJFPaEHD8n7Wfp1XUjmw3KGcfE67rUAQ6KANU5PkoXhkA';
    const withKey = 'c0443f87d53030e462e05b07a8f5bf13';
    const encodingOf = (text: string) => identifyCipher([text], withKey)[0]?.cipher;
    assert.match(encodingOf(payload) ?? '', /&encoding=base64url$/);
    assert.match(encodingOf(`${payload}==`) ?? '', /&encoding=base64$/);
  });

  it('is never certain of two: one block is the same under ECB and CBC with a zero IV', () => {
    for (let run = 0; run < 10; run += 1) {
      const oneBlock = seal('passcode-48291', 'aes-256-ecb');
      for (const knownPlaintext of [undefined, 'passcode-48291']) {
        const found = identifyCipher([oneBlock], key, { knownPlaintext });
        const [ecb, zero] = ['aes-256-ecb?key=utf8&', 'aes-256-cbc?key=utf8&iv=zero&'].map(
          (start) => found.find(({ cipher }) => cipher.startsWith(start)),
        );
        assert.deepEqual([ecb?.confidence, zero?.confidence], ['likely', 'likely']);
        assert.ok(found.every(({ confidence }) => confidence !== 'certain'));
      }
    }
  });

  it('is certain of one padding and encoding at most', () => {
    for (let run = 0; run < 20; run += 1) {
      const found = identifyCipher([seal(json, 'default')], key);
      assert.equal(found.filter(({ confidence }) => confidence === 'certain').length, 1);
    }
  });

  it('is narrowed by more payloads of the same user', () => {
    const notation = 'aes-256-cfb?iv=prefix';
    const short = seal('4711', notation);
    const alone = summary([short], key);
    assert.ok(alone.length > 1);
    assert.ok(alone.every((line) => !line.startsWith('certain')));
    const together = summary([short, seal(json, notation)], key);
    assert.match(together[0] ?? '', /^certain aes-256-cfb\?key=utf8&iv=prefix&padding=none/);
    assert.deepEqual(summary([short, short, short], key), alone, 'the same payload is no news');
  });

  it('finds nothing where the payloads have nothing in common', () => {
    assert.deepEqual(summary([seal(json, 'default'), seal(json, 'aes-256-gcm')], key), []);
  });

  it('finds text in a long payload and bytes that are not text by their proof', () => {
    const long = JSON.stringify({ name: '임민수'.repeat(2_000) });
    const noise = bytes(48);
    for (const [content, cipher] of [
      [long, 'aria-256-gcm?iv=key-tail'],
      [long, 'aes-192-ctr'],
      [noise, 'aes-256-gcm'],
      [noise, 'aes-256-cbc?key=utf8&iv=prefix'],
    ] as const) {
      const [best = ''] = summary([seal(content, cipher)], key);
      assert.ok(best.startsWith(`certain ${cipher.split('?')[0]}`), best);
    }
    assert.deepEqual(summary([seal(noise, 'aes-256-ctr')], key), []);
  });

  it('recognises a fixed IV by its noise in the first block', () => {
    const payload = seal(json, 'aes-256-cbc?iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085');
    const found = summary([payload], key);
    const common = 'aes-256-cbc?key=utf8&iv=';
    assert.equal(
      found[0],
      `possible ${common}prefix&padding=pkcs7&encoding=base64`,
      'without its head',
    );
    assert.equal(new Set(found).size, found.length, 'each once');
    assert.ok(found.includes(`possible ${common}zero&padding=pkcs7&encoding=base64`));
  });

  it('knows the IVs that tutorials show', () => {
    const iv = 'hex:31323334353637383930313233343536';
    const [best] = identifyCipher([seal(json, `aes-256-cbc?iv=${iv}`)], key);
    assert.equal(best?.cipher, `aes-256-cbc?key=utf8&iv=${iv}&padding=pkcs7&encoding=base64`);
  });
});

describe('cipher identification of what it can’t know', () => {
  it('is never certain of noise', () => {
    const random = seededRandom('noise');
    for (let tried = 0; tried < draws(40); tried++) {
      const noise = encodeBase64(random.bytes(random.pick([16, 32, 48, 64, 7, 20, 100])));
      const found = identifyCipher([noise], random.text('0123456789abcdef', 32));
      assert.ok(!found.some(({ confidence }) => confidence === 'certain'), noise);
    }
  });

  it('gives nothing back for nothing', () => {
    assert.deepEqual(identifyCipher([], key), []);
    for (const payload of ['', '=', 'not a payload!', '\u0000']) {
      assert.deepEqual(identifyCipher([payload], key), []);
    }
  });

  it('never throws, whatever payload and key', () => {
    const payload = fc.oneof(fc.string({ unit: anyCharacter }), fc.uint8Array().map(encodeBase64));
    fc.assert(
      fc.property(payload, fc.string({ unit: anyCharacter }), (text, anyKey) => {
        identifyCipher([text], anyKey);
        identifyCipher([text], anyKey, { knownPlaintext: 'known' });
      }),
      { numRuns: 30 },
    );
  });
});

function identify(payloads: readonly string[], knownPlaintext: string | Uint8Array): string[] {
  const found = identifyCipher(payloads, key, { knownPlaintext });
  return found.map(({ cipher, confidence }) => `${confidence} ${cipher}`);
}

const myIv = '6d79766563746f72313233346d796976';
const iv = 'hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085';
const short = 'hex:5b1f0c9e66a04d2fb3a8c1d7';

/** In every mode that has one; the text is longer than a block. */
const fixedIvs = [
  `aes-256-cbc?key=utf8&iv=${iv}&padding=pkcs7&encoding=base64`,
  `aes-128-cbc?key=md5&iv=${iv}&padding=iso10126&encoding=hex`,
  'des-ede3-cbc?key=sha256&iv=hex:5b1f0c9e66a04d2f&padding=pkcs7&encoding=base64',
  `aria-192-cfb?key=utf8&iv=${iv}&padding=none&encoding=base64`,
  `aes-256-cfb?key=utf8&iv=${iv}&padding=pkcs7&encoding=base64`,
  `aes-256-ctr?key=sha1prng&iv=${iv}&padding=none&encoding=hex`,
  `aes-256-gcm?key=utf8&iv=${short}&encoding=hex&tag=suffix&ivlen=12`,
  `aes-256-gcm?key=utf8&iv=${short}&encoding=hex&tag=after-iv&ivlen=12`,
  `aria-256-gcm?key=md5-hex&iv=${iv}&encoding=hex&tag=suffix&ivlen=16`,
] as const;

describe('identification with a known plaintext', () => {
  it('is certain of the cipher that gives it', () => {
    const notation = 'aes-256-ctr?key=sha256&iv=key-tail&padding=none&encoding=hex';
    const text = '44784421370996105583'; // more than a block, which CFB reads like CTR
    assert.equal(identify([seal(text, notation)], text)[0], `certain ${notation}`);
    assert.equal(identify([seal(text, notation)], encodeUtf8(text))[0], `certain ${notation}`);
  });

  it('names every cipher that gives it, and is certain of none of several', () => {
    const found = identify([seal('151908745078', 'aes-256-ctr?encoding=hex')], '151908745078');
    const first = 'key=utf8&iv=prefix&padding=none&encoding=hex';
    assert.deepEqual(found, [`likely aes-256-ctr?${first}`, `likely aes-256-cfb?${first}`]);
  });

  it('is not certain of a plaintext so short that chance gives it', () => {
    const found = identify([seal('7', 'aes-256-ctr')], '7');
    assert.ok(found.length > 0);
    assert.ok(found.every((line) => !line.startsWith('certain')));
  });

  it('finds nothing for another plaintext', () => {
    assert.deepEqual(identify([seal(json, 'default')], '{"email":"lee@example.com"}'), []);
    assert.deepEqual(identify([seal(json, 'default')], ''), []);
  });

  it('solves a fixed IV in every mode', () => {
    for (const notation of fixedIvs) {
      assert.equal(identify([seal(json, notation)], json)[0], `certain ${notation}`);
    }
  });

  it('says of an IV that one block alone asks for that it is possible, the usual cipher first', () => {
    const found = identify([seal('134457', fixedIvs[0])], '134457');
    assert.equal(found[0], `possible ${fixedIvs[0]}`);
    assert.equal(found.length, 10);
    assert.ok(found.every((line) => line.startsWith('possible')));
  });

  it('prefers a constant IV to one that looks drawn', () => {
    const [drawn, ...constant] = ['000102030405060708090a0b0c0d0e10', myIv, '01'.repeat(16)];
    const find = (iv = '') => {
      const notation = `aes-128-cbc?key=md5&iv=hex:${iv}&padding=pkcs7&encoding=hex`;
      return identify([seal('134457', notation)], '134457')[0] ?? '';
    };
    assert.match(find(drawn), /^possible/);
    for (const iv of constant) assert.ok(find(iv).includes(`aes-128-cbc?key=md5&iv=hex:${iv}`));
  });

  it('takes a second payload as proof of a solved IV', () => {
    const payloads = [seal('134457', fixedIvs[0]), seal(json, fixedIvs[0])];
    assert.deepEqual(identify(payloads, '134457'), [`certain ${fixedIvs[0]}`]);
    assert.deepEqual(identify(payloads.toReversed(), '134457'), [`certain ${fixedIvs[0]}`]);
  });

  it('takes no proof from a second payload that says nothing', () => {
    const uuid = '2fdfa0f6-ac7b-42fc-9df5-1d362c4bb128';
    const fixed = seal(uuid.slice(0, 12), fixedIvs[0]);
    const foreign = seal('x', fixedIvs[0], `${key.slice(1)}x`);
    const found = identify([fixed, foreign], uuid.slice(0, 12));
    assert.ok(found.every((line) => line.startsWith('possible')));
  });

  it('gives the first payload’s plaintext, whichever the known one is', () => {
    const payloads = [seal(json, 'default'), seal('134457', 'default')];
    const [best] = identifyCipher(payloads, key, { knownPlaintext: '134457' });
    assert.equal(best && decodeUtf8(best.plaintext), json);
  });

  it('can’t solve what less than a block shows', () => {
    const notation = 'aes-256-ctr?iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085';
    assert.deepEqual(identify([seal('134457', notation)], '134457'), []);
  });
});
