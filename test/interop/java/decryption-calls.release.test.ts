import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callCases, returning, testCalls } from '../../support/decryption-calls.ts';

const imports = [
  ...['java.security.*', 'java.util.*', 'javax.crypto.*', 'javax.crypto.spec.*'],
  'static java.nio.charset.StandardCharsets.UTF_8',
].map((name) => `import ${name};`);

// Bouncy Castle is not part of the JDK
const cases = callCases('java').filter(({ call }) => !call.includes('"BC"'));

function source(): string {
  const methods = cases.map(
    ({ call }, index) =>
      `static byte[] m${index}(String key, String payload) throws Exception { ${returning(call)} }`,
  );
  const prints = cases.map(
    ({ key, payload }, index) =>
      `System.out.println(HexFormat.of().formatHex(m${index}("${key}", "${payload}")));`,
  );
  const main = `public static void main(String[] args) throws Exception { ${prints.join('\n')} }`;
  return [...imports, `class Calls { ${[...methods, main].join('\n')} }`].join('\n');
}

testCalls('Java', cases, () => {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-calls-'));
  const file = join(folder, 'Calls.java');
  writeFileSync(file, source());
  const { stdout, stderr } = spawnSync('java', [file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const texts = stdout
    .trim()
    .split('\n')
    .map((hex) => Buffer.from(hex, 'hex').toString().replace(/\0+$/, ''));
  return { texts, stderr };
});
