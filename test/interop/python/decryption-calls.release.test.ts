import { spawnSync } from 'node:child_process';
import { callCases, testCalls } from '../../support/decryption-calls.ts';

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

testCalls('Python', callCases('python'), (cases) => {
  const input = JSON.stringify(cases);
  const args = ['-c', program];
  const { stdout, stderr } = spawnSync('/usr/bin/python3', args, { input, encoding: 'utf8' });
  return { texts: stderr === '' ? JSON.parse(stdout) : [], stderr };
});
