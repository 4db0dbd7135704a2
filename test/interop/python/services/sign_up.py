"""Plays the service at sign-ups with `cryptography` alone, and prints as JSON what came of each.

sign_up.py CALLBACK_URL BITS EXPONENT PTN_CD...
"""

import base64
import json
import os
import re
import sys
import urllib.request

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

url, bits, exponent, *users = sys.argv[1:]
pair = rsa.generate_private_key(int(exponent), int(bits))
spki = pair.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
public_key = base64.b64encode(spki).decode()


def post(fields):
    # as PHP writes JSON: every slash escaped
    body = json.dumps({"client_id": "my-shop", **fields}).replace("/", "\\/").encode()
    headers = {"Content-type": "application/json;charset=utf-8"}
    request = urllib.request.Request(url, body, headers)
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)


def encrypt(text, key):
    iv = os.urandom(16)
    padder = PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    padded = padder.update(text.encode()) + padder.finalize()
    return base64.b64encode(iv + encryptor.update(padded) + encryptor.finalize()).decode()


def sign_up(ptn_cd):
    first = post({"used_type": "1", "ptn_cd": ptn_cd, "public_key": public_key})
    wrapped = first.get("result", {}).get("enc_partner_key", "")
    key = pair.decrypt(base64.b64decode(wrapped, validate=True), padding.PKCS1v15())
    if not re.fullmatch(rb"\S{32}", key):
        return {"code": first["code"], "key": "not 32 characters"}
    fields = {"partner_sp": encrypt("Passcode of " + ptn_cd, key), "ubifill": encrypt("{}", key)}
    second = post({"used_type": "2", "ptn_cd": ptn_cd, **fields})
    return {"code": second["code"], "key": key.decode()}


print(json.dumps([sign_up(ptn_cd) for ptn_cd in users]))
