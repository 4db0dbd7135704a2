"""Runs each call of a list of cases in JSON, and prints the texts that they give."""

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
    found.append(result.hex())
print("\n".join(found))
