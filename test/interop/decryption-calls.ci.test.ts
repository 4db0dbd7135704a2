import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { notInstalled } from '../../scripts/test/programs.ts';
import { encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher.ts';
import { encryptPayload, headerBytes } from '../../src/crypto/payload-ciphers.ts';
import { decryptionCalls } from '../../src/diagnosis/decryption-calls.ts';
import type { Stack } from '../../src/errors.ts';
import { seededRandom } from '../support/seeded-random.ts';

/*
 * What is suggested has to decrypt: each call is run in its own language, on a payload that authcli
 * encrypted, and the plaintext compared.
 */

interface Case {
  readonly cipher: string;
  readonly call: string;
  readonly key: string;
  readonly payload: string;
  readonly plaintext: string;
}

const hexKey = '000102030405060708090a0b0c0d0e0f';
const textKey = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const fixed = 'hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085';
const plaintext = 'passcode 482913 of 2 blocks, 김'; // whole blocks, for padding=none

const notations: readonly string[] = [
  ...['aes-256-cbc', 'aes-128-cbc', 'aes-192-cbc', 'aes-256-ecb', 'aes-128-ecb', 'aes-256-ctr'],
  ...['aes-256-cfb', 'aes-256-gcm', 'aes-128-gcm', 'des-ede3-cbc', 'aria-256-cbc', 'aria-128-ecb'],
  ...['zero', 'key-head', 'key-tail', fixed].flatMap((iv) =>
    ['aes-256-cbc', 'aes-128-ctr', 'aes-256-cfb'].map((name) => `${name}?iv=${iv}`),
  ),
  ...['zero', 'ansix923', 'iso10126', 'none'].flatMap((padding) =>
    ['aes-256-cbc', 'aes-256-ecb'].map((name) => `${name}?padding=${padding}`),
  ),
  ...['aes-128-cbc?key=hex', 'aes-192-cbc?key=base64', 'aes-128-cbc?key=base64'],
  ...['sha256', 'md5-hex'].flatMap((key) => [`aes-256-cbc?key=${key}`, `aes-128-ecb?key=${key}`]),
  ...['aes-128-cbc?key=md5', 'aes-128-ecb?key=sha1prng', 'aes-256-cbc?key=evp-sha256'],
  ...['aes-256-cbc?encoding=hex', 'aes-256-cbc?encoding=base64url', 'aes-256-ecb?encoding=hex'],
  ...['tag=after-iv', 'ivlen=16', 'tag=after-iv&ivlen=16', 'iv=zero', 'iv=zero&tag=after-iv'].map(
    (parts) => `aes-256-gcm?${parts}`,
  ),
];

/** The calls of a stack, each with a payload; ciphers that it has no call for are left out. */
function casesOf(stack: Stack): readonly Case[] {
  const { bytes } = seededRandom('calls');
  return notations.flatMap((cipher) => {
    const parsed = parseCipher(cipher);
    const call = decryptionCalls(parsed, { decodes: true })[stack];
    // Neither package is part of the language.
    if (call === undefined || /"BC"|CryptoJS/.test(call)) return [];
    const text = parsed.padding === 'none' ? plaintext : `${plaintext}rest`;
    const key = parsed.key === 'hex' ? hexKey : textKey;
    const payload = encryptPayload(encodeUtf8(text), key, parsed, bytes);
    return [{ cipher, call, key, payload, plaintext: text }];
  });
}

/** A call with `return` before its last statement, and without the remark behind it. */
function returning(call: string): string {
  const code = call.replace(/ \/\/ .*$/, '');
  const at = code.lastIndexOf('; ') + 1;
  return `${code.slice(0, at)} return ${code.slice(at).trim()};`;
}

/** Runs a program, or its source as a file of that name, which prints what it decrypted in hexadecimal, line by line. */
function run([command, ...args]: readonly [string, ...string[]], input: string, name?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-calls-'));
  const file = name === undefined ? [] : [join(folder, name)];
  for (const path of file) writeFileSync(path, input);
  const env = { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' };
  const found = spawnSync(command, [...args, ...file], { input, encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  assert.equal(found.status, 0, found.stderr);
  const lines = found.stdout.trim().split('\n');
  return lines.map((hex) => Buffer.from(hex, 'hex'));
}

function inJava(cases: readonly Case[]) {
  const methods = cases.map(
    ({ call }, index) =>
      `static byte[] m${index}(String key, String payload) throws Exception { ${returning(call)} }`,
  );
  const prints = cases.map(
    ({ key, payload }, index) =>
      `System.out.println(HexFormat.of().formatHex(m${index}("${key}", "${payload}")));`,
  );
  const source = `
    import java.security.*; import java.util.*; import javax.crypto.*; import javax.crypto.spec.*;
    import static java.nio.charset.StandardCharsets.UTF_8;
    class Calls {
      ${methods.join('\n')}
      public static void main(String[] args) throws Exception { ${prints.join('\n')} }
    }`;
  return run(['java'], source, 'Calls.java').map((text) => text.toString().replace(/\0+$/, ''));
}

/** Something of each package, since Go compiles no import that isn't used. */
const usedInGo = [
  ...['bytes.Equal', 'crypto/aes.NewCipher', 'crypto/cipher.NewGCM', 'crypto/des.NewCipher'],
  ...['crypto/md5.New', 'crypto/sha256.New', 'encoding/base64.StdEncoding'],
  ...['encoding/hex.DecodeString', 'fmt.Println'],
];

function inGo(cases: readonly Case[]) {
  const functions = cases.map(({ call, cipher, key, payload }, index) => {
    const code = call
      .replace(/ \/\/ .*$/, '')
      .replace('; bytes.TrimRight', '; out = bytes.TrimRight');
    const at = code.indexOf('; ');
    return `func m${index}() []byte {
      key, payload := "${key}", "${payload}"; var err error
      ${code.slice(0, at)}
      out := make([]byte, len(raw)-${headerBytes(parseCipher(cipher))})
      ${code.slice(at + 2)}
      _, _, _ = key, out, err
      return ${code.includes('text, err') ? 'text' : 'out'}
    }`;
  });
  const prints = cases.map((_, index) => `fmt.Println(hex.EncodeToString(m${index}()))`);
  const source = [
    'package main',
    ...usedInGo.map((used) => `import "${used.split('.')[0]}"`),
    ...usedInGo.map((used) => `var _ = ${used.split('/').at(-1)}`),
    ...functions,
    `func main() {\n${prints.join('\n')}\n}`,
  ];
  // Go's calls leave the padding to a remark.
  return run(['go', 'run'], source.join('\n'), 'main.go').map((text, index) => {
    const { padding = 'none' } = parseCipher(cases[index]?.cipher ?? '');
    const isCounted = padding !== 'none' && padding !== 'zero';
    return String(isCounted ? text.subarray(0, text.length - (text.at(-1) ?? 0)) : text);
  });
}

const php = `foreach (json_decode(stream_get_contents(STDIN), true) as $case) {
  extract($case);
  echo bin2hex((function () use ($call, $key, $payload) { return eval($call); })()), "\n";
}`;

const ruby = `JSON.parse($stdin.read).each do |one|
  key, payload = one.values_at('key', 'payload')
  puts eval(one['call']).unpack1('H*')
end`;

const python = ['python3', 'test/interop/python/decryption_calls.py'] as const;

const stacks: Readonly<Partial<Record<Stack, (cases: readonly Case[]) => readonly string[]>>> = {
  node: (cases) =>
    cases.map(({ call, key, payload }) =>
      String(runInNewContext(call, { crypto, Buffer, key, payload })),
    ),
  python: (cases) => run(python, JSON.stringify(cases)).map(String),
  php: (cases) => {
    const input = JSON.stringify(cases.map((one) => ({ ...one, call: returning(one.call) })));
    return run(['php', '-r', php], input).map(String);
  },
  ruby: (cases) => {
    const libraries = ['-rjson', '-rbase64', '-ropenssl'];
    return run(['ruby', ...libraries, '-e', ruby], JSON.stringify(cases)).map(String);
  },
  java: inJava,
  go: inGo,
};

describe('the calls that decrypt', () => {
  for (const [stack, textsOf] of Object.entries(stacks)) {
    it(`give the plaintext in ${stack}`, { skip: notInstalled(stack) }, () => {
      const cases = casesOf(stack as Stack);
      const texts = textsOf(cases);
      for (const [index, { cipher, call, plaintext: expected }] of cases.entries())
        assert.equal(texts[index], expected, `${cipher}: ${call}`);
    });
  }
});
