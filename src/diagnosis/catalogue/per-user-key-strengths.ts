import type { CataloguePart } from '../catalogue-entry.ts';
import { generateCalls } from '../wrap-calls.ts';

/** What is known of per-user keys that have the right form and are no secret of their user alone. */
export const keyStrengthCatalogue: CataloguePart<
  | 'key-constant'
  | 'key-from-user-code'
  | 'key-predictable'
  | 'key-low-entropy'
  | 'key-repeated'
  | 'key-leaked'
> = {
  'key-constant': {
    title: 'The key is a constant',
    meaning:
      'One character throughout, or one key for all users, protects nobody: whoever has signed up once can read all passcodes.',
    recognised: 'All characters are equal, or all users of the run were given the same key.',
    mend: 'Draw a new random key for each user and each key exchange.',
    calls: generateCalls,
    example: 'private static final String KEY = "…"; or "0".repeat(32) left over from a first try.',
    section: '2.2',
  },
  'key-from-user-code': {
    title: 'The key is derived from the user code or the client id',
    meaning:
      'ptn_cd and client_id are no secrets. A key that follows from them is none either, whatever hash was used.',
    recognised:
      'The key is compared with the codes themselves (also reversed, repeated, filled up, cut) and with their MD5, SHA-1, SHA-256, SHA-384, SHA-512, HMAC and name-based UUID, in hexadecimal and Base64.',
    mend: 'Draw the key at random and store it beside the user; do not compute it.',
    calls: generateCalls,
    example: 'DigestUtils.md5Hex(ptnCd) has 32 characters and looks random.',
    section: '2.2',
  },
  'key-predictable': {
    title: 'The key follows from the time, a counter or another key',
    meaning: 'Whoever knows roughly when the key was made, or has another key, finds it by trying.',
    recognised:
      "The seconds or milliseconds of now, a written date, a version 1 UUID of now or a hash of the time stands in it; or 20 of its 32 characters are those of another user's key at the same places.",
    mend: "Draw the whole key from the system's random generator.",
    calls: generateCalls,
    example:
      'md5(time()), uniqid(), UUID version 1 without its dashes, a prefix and a number that counts up.',
    section: '2.2',
  },
  'key-low-entropy': {
    title: 'The key is no random string',
    meaning:
      'It has a pattern: few different characters, a sequence, a repeated word. Such keys are tried first.',
    recognised:
      'Counts that a random string over ten symbols or more reaches less than once in a million: see the message for which one.',
    mend: "Draw every one of the 32 characters from the system's random generator.",
    calls: generateCalls,
    example: 'abcdefghijklmnopqrstuvwxyz123456, or a short number filled up with zeros.',
    section: '2.2',
  },
  'key-repeated': {
    title: 'A key was given a second time',
    meaning: 'Each user gets a key of his own, and each key exchange a new one (4.1.1 rule 1).',
    recognised: 'The unwrapped keys of the run are compared with each other.',
    mend: 'Draw a new key in every key exchange, and store it as the one of that ptn_cd.',
    calls: generateCalls,
    example:
      'computeIfAbsent(ptnCd, …) gives the same user the old key again; a generator seeded with a constant gives all the same.',
    section: '4.1.1',
  },
  'key-leaked': {
    title: 'The plain key stands in the answer',
    meaning:
      'The key may travel only RSA-encrypted (4.1.1 rule 2). Whoever reads the answer, a log or a proxy has it.',
    recognised:
      'The unwrapped key is looked for in every answer and its headers: as it is, reversed, in hexadecimal and in Base64 at any offset.',
    mend: 'Take it out of the answer: look for a debug field, an entity that is serialised whole, an error message. The key is burnt: make a new one.',
    calls: {
      java: '@JsonIgnore private String userKey;',
      kotlin: '@JsonIgnore val userKey: String',
      node: 'res.json({ code, message, result: { enc_partner_key: wrapped } }) // not the whole user',
      python: 'return {"enc_partner_key": wrapped}  # not user.__dict__',
      php: "protected $hidden = ['user_key'];",
      go: 'UserKey string `json:"-"`',
      csharp: '[JsonIgnore] public string UserKey { get; set; }',
      ruby: 'user.as_json(except: :user_key)',
    },
    example: '"result": {"enc_partner_key": "…", "key": "…"}',
    section: '4.1.1',
  },
};
