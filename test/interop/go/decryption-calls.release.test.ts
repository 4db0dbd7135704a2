import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCipher } from '../../../src/crypto/cipher-notation.ts';
import { headerBytes } from '../../../src/crypto/payload-format.ts';
import { callCases, testCalls } from '../../support/decryption-calls.ts';

const packages = [
  ...['bytes', 'crypto/aes', 'crypto/cipher', 'crypto/des', 'crypto/md5', 'crypto/sha256'],
  ...['encoding/base64', 'encoding/hex', 'fmt'],
];
const used = [
  ...['bytes.Equal', 'aes.NewCipher', 'cipher.NewGCM', 'des.NewCipher', 'md5.New', 'sha256.New'],
  ...['base64.StdEncoding', 'hex.DecodeString', 'fmt.Println'],
];

const cases = callCases('go');

function source(): string {
  const functions = cases.map(({ call, cipher, key, payload }, index) => {
    const code = call
      .replace(/ \/\/ .*$/, '')
      .replace('; bytes.TrimRight', '; out = bytes.TrimRight');
    const at = code.indexOf('; ');
    const result = code.includes('text, err') ? 'text' : 'out';
    return [
      `func m${index}() []byte {`,
      `key, payload := "${key}", "${payload}"`,
      'var err error',
      code.slice(0, at),
      `out := make([]byte, len(raw)-${headerBytes(parseCipher(cipher))})`,
      code.slice(at + 2),
      '_, _, _ = key, out, err',
      `return ${result}`,
      '}',
    ].join('\n');
  });
  const prints = cases.map((_, index) => `fmt.Println(hex.EncodeToString(m${index}()))`);
  return [
    'package main',
    `import (${packages.map((name) => `"${name}"`).join('; ')})`,
    ...used.map((name) => `var _ = ${name}`),
    ...functions,
    `func main() {\n${prints.join('\n')}\n}`,
  ].join('\n');
}

/** Go's calls leave the padding to a remark. */
function cut(text: Buffer, padding: string | undefined): Buffer {
  const isCounted = padding !== undefined && padding !== 'none' && padding !== 'zero';
  return isCounted ? text.subarray(0, text.length - (text.at(-1) ?? 0)) : text;
}

testCalls('Go', cases, () => {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-calls-'));
  const file = join(folder, 'main.go');
  writeFileSync(file, source());
  const env = { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' };
  const { stdout, stderr } = spawnSync('go', ['run', file], { encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  const texts = stdout.trim().split('\n');
  return {
    texts: texts.map((hex, index) => `${cut(Buffer.from(hex, 'hex'), cases[index]?.padding)}`),
    stderr,
  };
});
