import { describeProbes } from '../../support/probed-example.ts';

const example = {
  folder: 'java',
  file: 'Application.java',
  command: ['java', '-cp', '/usr/share/java/gson.jar', 'Application.java'],
} as const;
const length = [
  'if (bytes.length < 32) throw new IllegalArgumentException("not encrypted");',
  '',
] as const;
const transformation = '"AES/CBC/PKCS5Padding"';
const key = 'key.getBytes(StandardCharsets.UTF_8), "AES"';
const iv = ', new IvParameterSpec(bytes, 0, 16)';
const whole = ['Arrays.copyOfRange(bytes, 16, bytes.length)', 'bytes'] as const;
const result =
  'return new String(cipher.doFinal(Arrays.copyOfRange(bytes, 16, bytes.length)), StandardCharsets.UTF_8);';

describeProbes('The example in Java', 'java', example, [
  {
    title: 'ECB',
    changes: [length, [transformation, '"AES"'], [iv, ''], whole],
    accepted: ['aes-256-ecb'],
  },
  {
    title: 'a zero IV',
    changes: [length, [iv, ', new IvParameterSpec(new byte[16])'], whole],
    accepted: ['aes-256-cbc?iv=zero'],
  },
  {
    title: 'GCM',
    changes: [
      length,
      [transformation, '"AES/GCM/NoPadding"'],
      [iv, ', new javax.crypto.spec.GCMParameterSpec(128, bytes, 0, 12)'],
      [
        'Arrays.copyOfRange(bytes, 16, bytes.length)',
        'Arrays.copyOfRange(bytes, 12, bytes.length)',
      ],
    ],
    accepted: ['aes-256-gcm'],
  },
  {
    title: 'a key of 128 bits',
    changes: [[key, 'Arrays.copyOf(key.getBytes(StandardCharsets.UTF_8), 16), "AES"']],
    accepted: ['aes-128-cbc'],
  },
  {
    title: 'the key decoded from hexadecimal',
    changes: [
      [
        'Base64.getEncoder().encodeToString(bytes); // 24',
        'java.util.HexFormat.of().formatHex(bytes).substring(0, 32); // 24',
      ],
      [key, 'java.util.HexFormat.of().parseHex(key), "AES"'],
    ],
    accepted: ['aes-128-cbc?key=hex'],
  },
  {
    title: 'its padding cut off by the last byte',
    changes: [
      [transformation, '"AES/CBC/NoPadding"'],
      [
        result,
        'byte[] text = cipher.doFinal(Arrays.copyOfRange(bytes, 16, bytes.length)); return new String(text, 0, text.length - text[text.length - 1], StandardCharsets.UTF_8);',
      ],
    ],
    accepted: ['aes-256-cbc', 'aes-256-cbc?padding=ansix923', 'aes-256-cbc?padding=iso10126'],
  },
]);
