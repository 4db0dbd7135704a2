"""Decrypts payloads and encrypts their text anew, with Python's cryptography and hashlib alone.

Reads {"key", "rows": [{"cipher", "payload"}]} and writes [{"cipher", "plaintext", "payload"}].
Written from the notation's description, sharing no code with authcli.
"""

import base64
import hashlib
import json
import os
import sys
import warnings

warnings.simplefilter("ignore")

from cryptography.hazmat.primitives import padding as pads  # noqa: E402
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: E402

try:
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES  # noqa: E402
except ImportError:
    from cryptography.hazmat.primitives.ciphers.algorithms import TripleDES  # noqa: E402

try:
    from cryptography.hazmat.decrepit.ciphers.modes import CFB  # noqa: E402
except ImportError:
    from cryptography.hazmat.primitives.ciphers.modes import CFB  # noqa: E402

READERS = {
    "utf8": lambda key: key.encode(),
    "hex": bytes.fromhex,
    "base64": base64.b64decode,
    "sha256": lambda key: hashlib.sha256(key.encode()).digest(),
    "md5": lambda key: hashlib.md5(key.encode()).digest(),
    "md5-hex": lambda key: hashlib.md5(key.encode()).hexdigest().encode(),
}


def parse(notation):
    algorithm, parts = notation.split("?")
    family, *rest = algorithm.split("-")
    cipher = dict(part.split("=", 1) for part in parts.split("&"))
    cipher["mode"] = rest[-1]
    cipher["block"] = 8 if family == "des" else 16
    cipher["key_bytes"] = 24 if family == "des" else int(rest[0]) // 8
    cipher["type"] = {"aes": algorithms.AES, "des": TripleDES}[family]
    iv_bytes = int(cipher.get("ivlen", cipher["block"]))
    cipher["iv_bytes"] = 0 if cipher["mode"] == "ecb" else iv_bytes
    return cipher


def evp(cipher, key, salt):
    stream, last = b"", b""
    while len(stream) < cipher["key_bytes"] + cipher["iv_bytes"]:
        last = hashlib.new(cipher["key"][4:], last + key.encode() + salt).digest()
        stream += last
    return stream[: cipher["key_bytes"]], stream[cipher["key_bytes"] :][: cipher["iv_bytes"]]


def material(cipher, key, header):
    if cipher["key"].startswith("evp-"):
        return evp(cipher, key, header)
    key_bytes = READERS[cipher["key"]](key)[: cipher["key_bytes"]]
    size = cipher["iv_bytes"]
    rules = {
        "prefix": header,
        "zero": bytes(size),
        "key-head": key.encode()[:size],
        "key-tail": key.encode()[-size:],
    }
    return key_bytes, rules[cipher["iv"]] if size else b""


def header_bytes(cipher):
    if cipher["key"].startswith("evp-"):
        return 8
    return cipher["iv_bytes"] if cipher.get("iv") == "prefix" else 0


def primitive(cipher, key_bytes, iv, tag=None):
    mode = {
        "cbc": lambda: modes.CBC(iv),
        "ecb": modes.ECB,
        "ctr": lambda: modes.CTR(iv),
        "cfb": lambda: CFB(iv),
        "gcm": lambda: modes.GCM(iv, tag),
    }[cipher["mode"]]()
    return Cipher(cipher["type"](key_bytes), mode)


def pad(cipher, text):
    kind, block = cipher.get("padding", "none"), cipher["block"]
    count = block - len(text) % block
    if kind == "pkcs7":
        padder = pads.PKCS7(block * 8).padder()
        return padder.update(text) + padder.finalize()
    if kind == "ansix923":
        padder = pads.ANSIX923(block * 8).padder()
        return padder.update(text) + padder.finalize()
    if kind == "iso10126":
        return text + os.urandom(count - 1) + bytes([count])
    return text + bytes(count % block) if kind == "zero" else text


def unpad(cipher, padded):
    kind = cipher.get("padding", "none")
    if kind == "zero":
        return padded.rstrip(b"\0")
    return padded if kind == "none" else padded[: -padded[-1]]


def decrypt(cipher, key, raw):
    raw = raw.removeprefix(b"Salted__") if cipher["key"].startswith("evp-") else raw
    size = header_bytes(cipher)
    header, body = raw[:size], raw[size:]
    tag = None
    if cipher["mode"] == "gcm" and cipher["tag"] == "after-iv":
        tag, body = body[:16], body[16:]
    elif cipher["mode"] == "gcm":
        body, tag = body[:-16], body[-16:]
    context = primitive(cipher, *material(cipher, key, header), tag).decryptor()
    return unpad(cipher, context.update(body) + context.finalize())


def encrypt(cipher, key, text):
    header = os.urandom(header_bytes(cipher))
    context = primitive(cipher, *material(cipher, key, header)).encryptor()
    body = context.update(pad(cipher, text)) + context.finalize()
    if cipher["mode"] == "gcm":
        body = context.tag + body if cipher["tag"] == "after-iv" else body + context.tag
    return (b"Salted__" if cipher["key"].startswith("evp-") else b"") + header + body


def decode(encoding, text):
    if encoding == "hex":
        return bytes.fromhex(text)
    missing = "=" * (-len(text) % 4)
    return (base64.urlsafe_b64decode if encoding == "base64url" else base64.b64decode)(text + missing)


def encode(encoding, raw):
    if encoding == "hex":
        return raw.hex().upper()
    return (base64.urlsafe_b64encode if encoding == "base64url" else base64.b64encode)(raw).decode()


def main():
    job = json.load(sys.stdin)
    results = []
    for row in job["rows"]:
        cipher = parse(row["cipher"])
        text = decrypt(cipher, job["key"], decode(cipher["encoding"], row["payload"]))
        payload = encode(cipher["encoding"], encrypt(cipher, job["key"], text))
        results.append({"cipher": row["cipher"], "plaintext": text.decode(), "payload": payload})
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
