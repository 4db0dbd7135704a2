import base64, binascii, codecs, json, os, sys, traceback
from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.fernet import Fernet

KEY = b"0123456789abcdef0123456789abcdef"

def of(situation, mistake):
    try:
        mistake()
        print(f"{situation}\tNOTHING")
    except BaseException:
        last = traceback.format_exc().strip().splitlines()[-1]
        print(f"{situation}\t{last}")

def cbc(data, key=KEY, iv=bytes(16)):
    d = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    return d.update(data) + d.finalize()

def unpad(data):
    u = padding.PKCS7(128).unpadder()
    return u.update(data) + u.finalize()

of("padding-refused", lambda: unpad(bytes(16)))
of("block-length", lambda: cbc(bytes(20)))
of("tag-refused", lambda: AESGCM(KEY).decrypt(bytes(12), bytes(32), None))
of("tag-missing", lambda: Cipher(algorithms.AES(KEY), modes.GCM(bytes(12), bytes(8))))
of("tag-missing", lambda: Cipher(algorithms.AES(KEY), modes.GCM(bytes(12))).decryptor().finalize())
of("iv-bytes", lambda: AESGCM(KEY).decrypt(b"", bytes(32), None))
of("key-bytes", lambda: AESGCM(KEY[:20]))
of("key-bytes", lambda: algorithms.AES(KEY + b"\n"))
of("iv-bytes", lambda: cbc(bytes(16), iv=bytes(32)))
of("text-for-bytes", lambda: cbc(bytes(16), iv="0" * 16))
of("not-base64-text", lambda: base64.b64decode("abcde"))
of("not-base64-text", lambda: base64.b64decode("ab-_", validate=True))
of("not-base64-text", lambda: base64.b64decode("ab-_é"))
of("not-hex-text", lambda: bytes.fromhex("zz"))
of("not-hex-text", lambda: binascii.unhexlify("abc"))
of("not-text", lambda: b"\xc3\x28".decode())
of("not-text", lambda: b"\x80abc".decode("ascii"))
of("not-text", lambda: "김".encode("latin-1"))
of("not-text", lambda: b"\x81".decode("cp1252"))
of("not-json-text", lambda: json.loads(""))
of("not-json-text", lambda: json.loads('{"a"'))
of("not-json-text", lambda: json.loads("{'a':1}"))
of("not-json-text", lambda: json.loads('{"a":"\x01"}'))
of("not-json-text", lambda: json.loads('{"a":1}\x05\x05'))
of("value-missing", lambda: None.encode())
of("value-missing", lambda: None["key"])
of("field-absent", lambda: {}["ubifill"])
of("text-for-bytes", lambda: json.dumps({"a": b"x"}))
of("text-for-bytes", lambda: "a" + b"b")
of("text-for-bytes", lambda: base64.b64encode("abc"))
k = rsa.generate_private_key(65537, 2048)
of("rsa-failed", lambda: k.decrypt(bytes(64), rsa_padding.PKCS1v15()))
of("rsa-failed", lambda: k.decrypt(bytes(255)+b'1', rsa_padding.OAEP(rsa_padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)))
of("rsa-failed", lambda: k.public_key().encrypt(bytes(300), rsa_padding.PKCS1v15()))
of("public-key-unreadable", lambda: serialization.load_der_public_key(bytes(40)))
of("public-key-unreadable", lambda: serialization.load_pem_public_key(b"MIIB"))
of("own-format", lambda: Fernet(KEY))
of("own-format", lambda: Fernet(base64.b64encode(KEY)).decrypt(b"abc"))
import sqlite3
db = sqlite3.connect(":memory:")
of("schema-missing", lambda: db.execute("select * from users"))
db.execute("create table users (ptn_cd text primary key, k text not null)")
db.execute("insert into users values ('a','b')")
of("row-duplicate", lambda: db.execute("insert into users values ('a','b')"))
of("column-null", lambda: db.execute("insert into users values ('c',null)"))
of("database-down", lambda: __import__('socket').create_connection(("127.0.0.1", 1)))
