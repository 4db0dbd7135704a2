import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeUtf8, encodeBase64, encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { draws } from '../support/draws.ts';
import { payloadFixtures } from '../support/fixtures.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = 'EeYa89itM2rvZQGKEOwTLvFnslqlGaJK';
const json = '{"email":"kim@example.com","name":"임민수"}';
const iv = 'hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085';
const { bytes } = seededRandom('identification');

function seal(text: string | Uint8Array, notation: string, withKey = key): string {
  const plain = typeof text === 'string' ? encodeUtf8(text) : text;
  return encryptPayload(plain, withKey, parseCipher(notation), bytes);
}

/** The confidence and cipher of each candidate. */
function identify(payloads: readonly string[], knownPlaintext?: string | Uint8Array): string[] {
  const found = identifyCipher(payloads, key, { knownPlaintext });
  return found.map(({ cipher, confidence }) => `${confidence} ${cipher}`);
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
    const [best = '', ...others] = identify([seal(json, 'aes-256-cbc?iv=zero')]);
    assert.match(best, /^likely aes-256-cbc\?key=utf8&iv=zero&padding=pkcs7/);
    assert.ok(others.some((line) => line.startsWith('possible aes-256-cbc?key=utf8&iv=prefix')));
  });

  it('puts the stricter padding and Base64 first among equals', () => {
    const payload = Array.from({ length: 300 }, () => seal('0123456789abcde', 'default'));
    const plainBase64 = payload.find((text) => !/[+/]/.test(text)) ?? assert.fail();
    const found = identify([plainBase64]).map((line) => line.replace(/.*padding=/, ''));
    assert.deepEqual(found.slice(0, 2), ['pkcs7&encoding=base64', 'pkcs7&encoding=base64url']);
    const ends = found.filter((end) => /^(?:pkcs7|ansix923|iso10126)&encoding=base64$/.test(end));
    const order = ['pkcs7', 'ansix923', 'iso10126'].map((name) => `${name}&encoding=base64`);
    assert.deepEqual(ends, order);
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
    const oneBlock = seal('passcode-48291', 'aes-256-ecb');
    for (const knownPlaintext of [undefined, 'passcode-48291']) {
      const found = identify([oneBlock], knownPlaintext);
      for (const start of ['aes-256-ecb?key=utf8&', 'aes-256-cbc?key=utf8&iv=zero&']) {
        assert.ok(found.some((line) => line.startsWith(`likely ${start}`)));
      }
      assert.ok(!found.some((line) => line.startsWith('certain')));
    }
    const found = identify([seal(json, 'default')]);
    assert.equal(found.filter((line) => line.startsWith('certain')).length, 1);
  });

  it('is narrowed by more payloads of the same user', () => {
    const notation = 'aes-256-cfb?iv=prefix';
    const short = seal('4711', notation);
    const alone = identify([short]);
    assert.ok(alone.length > 1);
    assert.ok(alone.every((line) => !line.startsWith('certain')));
    const [together = ''] = identify([short, seal(json, notation)]);
    assert.match(together, /^certain aes-256-cfb\?key=utf8&iv=prefix&padding=none/);
    assert.deepEqual(identify([short, short, short]), alone, 'the same payload is no news');
  });

  it('finds text in a long payload and bytes that are not text by their proof', () => {
    const long = JSON.stringify({ name: '임민수'.repeat(2_000) });
    const noise = bytes(48);
    for (const [content, cipher] of [
      [long, 'aes-192-ctr'],
      [noise, 'aes-256-gcm'],
      [noise, 'aes-256-cbc?key=utf8&iv=prefix'],
    ] as const) {
      const [best = ''] = identify([seal(content, cipher)]);
      assert.ok(best.startsWith(`certain ${cipher.split('?')[0]}`), best);
    }
  });

  it('recognises a fixed IV by its noise in the first block, and one that tutorials show', () => {
    const common = 'aes-256-cbc?key=utf8&iv=';
    const found = identify([seal(json, `aes-256-cbc?iv=${iv}`)]);
    const withoutHead = `possible ${common}prefix&padding=pkcs7&encoding=base64`;
    assert.deepEqual([found[0], new Set(found).size], [withoutHead, found.length]);
    assert.ok(found.includes(`possible ${common}zero&padding=pkcs7&encoding=base64`));
    const shown = `${common}hex:31323334353637383930313233343536&padding=pkcs7&encoding=base64`;
    assert.ok(identify([seal(json, shown)])[0]?.endsWith(shown));
  });

  it('finds nothing in nothing, and is never certain of noise', () => {
    assert.deepEqual(identify([seal(json, 'default'), seal(json, 'aes-256-gcm')]), []);
    assert.deepEqual(identify([seal(bytes(48), 'aes-256-ctr')]), []);
    for (const payloads of [[], [''], ['='], ['not a payload!'], ['\u0000']]) {
      assert.deepEqual(identify(payloads), []);
    }
    const random = seededRandom('noise');
    for (let tried = 0; tried < draws(10); tried++) {
      const noise = encodeBase64(random.bytes(random.pick([16, 32, 48, 64, 7, 20, 100])));
      const found = identifyCipher([noise], random.text('0123456789abcdef', 32));
      assert.ok(!found.some(({ confidence }) => confidence === 'certain'), noise);
    }
  });
});

const short = 'hex:5b1f0c9e66a04d2fb3a8c1d7';

/** In every mode that has one; the text is longer than a block. */
const fixedIvs = [
  `aes-256-cbc?key=utf8&iv=${iv}&padding=pkcs7&encoding=base64`,
  `aes-128-cbc?key=md5&iv=${iv}&padding=iso10126&encoding=hex`,
  `aria-192-cfb?key=utf8&iv=${iv}&padding=none&encoding=base64`,
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

  it('finds nothing for another plaintext, nor from less than a block', () => {
    assert.deepEqual(identify([seal(json, 'default')], '{"email":"lee@example.com"}'), []);
    assert.deepEqual(identify([seal(json, 'default')], ''), []);
    assert.deepEqual(identify([seal('134457', `aes-256-ctr?iv=${iv}`)], '134457'), []);
  });

  it('solves a fixed IV in every mode', () => {
    for (const notation of fixedIvs) {
      assert.equal(identify([seal(json, notation)], json)[0], `certain ${notation}`);
    }
  });

  it('says of an IV that one block alone asks for that it is possible, the usual cipher first', () => {
    const found = identify([seal('134457', fixedIvs[0])], '134457');
    assert.deepEqual([found[0], found.length], [`possible ${fixedIvs[0]}`, 10]);
    assert.ok(found.every((line) => line.startsWith('possible')));
  });

  it('prefers a constant IV to one that looks drawn', () => {
    const find = (iv: string) => {
      const notation = `aes-128-cbc?key=md5&iv=hex:${iv}&padding=pkcs7&encoding=hex`;
      return identify([seal('134457', notation)], '134457')[0] ?? '';
    };
    assert.match(find('000102030405060708090a0b0c0d0e10'), /^possible/);
    for (const iv of ['6d79766563746f72313233346d796976', '01'.repeat(16)]) {
      assert.ok(find(iv).includes(`aes-128-cbc?key=md5&iv=hex:${iv}`));
    }
  });

  it('takes a second payload as proof of a solved IV, unless it says nothing', () => {
    const payloads = [seal('134457', fixedIvs[0]), seal(json, fixedIvs[0])];
    assert.deepEqual(identify(payloads, '134457'), [`certain ${fixedIvs[0]}`]);
    assert.deepEqual(identify(payloads.toReversed(), '134457'), [`certain ${fixedIvs[0]}`]);
    const uuid = '2fdfa0f6-ac7';
    const foreign = seal('x', fixedIvs[0], `${key.slice(1)}x`);
    const found = identify([seal(uuid, fixedIvs[0]), foreign], uuid);
    assert.ok(found.every((line) => line.startsWith('possible')));
  });

  it('gives the first payload’s plaintext, whichever the known one is', () => {
    const payloads = [seal(json, 'default'), seal('134457', 'default')];
    const [best] = identifyCipher(payloads, key, { knownPlaintext: '134457' });
    assert.equal(best && decodeUtf8(best.plaintext), json);
  });
});
