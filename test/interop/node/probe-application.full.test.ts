import { describeProbes } from '../../support/probed-example.ts';

const example = {
  folder: 'node',
  file: 'application.mjs',
  command: ['node', 'http.mjs'],
} as const;
const decipher = "createDecipheriv('aes-256-cbc', Buffer.from(key), bytes.subarray(0, 16))";
const result =
  "return decipher.update(bytes.subarray(16), undefined, 'utf8') + decipher.final('utf8');";
const whole = [
  result,
  "return decipher.update(bytes, undefined, 'utf8') + decipher.final('utf8');",
] as const;

describeProbes('The example in Node', 'node', example, [
  {
    title: 'ECB',
    changes: [[decipher, "createDecipheriv('aes-256-ecb', Buffer.from(key), null)"], whole],
    accepted: ['aes-256-ecb', 'aes-256-ecb?encoding=base64url'],
  },
  {
    title: 'a zero IV',
    changes: [
      [decipher, "createDecipheriv('aes-256-cbc', Buffer.from(key), Buffer.alloc(16))"],
      whole,
    ],
    accepted: ['aes-256-cbc?iv=zero', 'aes-256-cbc?iv=zero&encoding=base64url'],
  },
  {
    title: 'GCM',
    changes: [
      [
        decipher,
        "createDecipheriv('aes-256-gcm', Buffer.from(key), bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16))",
      ],
      [
        result,
        "return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');",
      ],
    ],
    accepted: ['aes-256-gcm', 'aes-256-gcm?encoding=base64url'],
  },
  {
    title: 'a key of 128 bits',
    changes: [
      [
        decipher,
        "createDecipheriv('aes-128-cbc', Buffer.from(key).subarray(0, 16), bytes.subarray(0, 16))",
      ],
    ],
    accepted: ['aes-128-cbc', 'aes-128-cbc?encoding=base64url'],
  },
  {
    title: 'the key decoded from hexadecimal',
    changes: [
      ["randomBytes(24).toString('base64')", "randomBytes(16).toString('hex')"],
      [decipher, "createDecipheriv('aes-128-cbc', Buffer.from(key, 'hex'), bytes.subarray(0, 16))"],
    ],
    accepted: ['aes-128-cbc?key=hex', 'aes-128-cbc?key=hex&encoding=base64url'],
  },
  {
    title: 'its padding cut off by the last byte',
    changes: [
      [
        result,
        'decipher.setAutoPadding(false); const text = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]); return text.subarray(0, text.length - text.at(-1)).toString();',
      ],
    ],
    accepted: [
      ...['aes-256-cbc', 'aes-256-cbc?padding=ansix923', 'aes-256-cbc?padding=iso10126'],
      'aes-256-cbc?encoding=base64url',
    ],
  },
]);
