import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { callCases } from '../../support/decryption-calls.ts';

const program = `
import ast, base64, hashlib, json, sys, warnings
warnings.simplefilter("ignore")
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
found = []
for case in json.load(sys.stdin):
    scope = dict(globals(), key=case["key"], payload=case["payload"])
    *body, last = ast.parse(case["call"]).body
    exec(compile(ast.Module(body, []), "call", "exec"), scope)
    if isinstance(last, ast.Expr):
        result = eval(compile(ast.Expression(last.value), "call", "eval"), scope)
    else:
        exec(compile(ast.Module([last], []), "call", "exec"), scope)
        result = scope.get("text", scope.get("p"))
    found.append(result.decode())
print(json.dumps(found))
`;

describe('the calls for Python', () => {
  const cases = callCases('python');
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', program], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
  });
  const found: unknown = stderr === '' ? JSON.parse(stdout) : stderr;
  for (const [index, { cipher, call, plaintext }] of cases.entries()) {
    it(`decrypt ${cipher}`, () => {
      assert.ok(Array.isArray(found), String(found));
      assert.equal(found[index], plaintext, call);
    });
  }
});
