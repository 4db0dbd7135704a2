"""Signs a user in twice with one ptn_token, uses an access token a second time, and tries a token that nobody issued.
Prints what each call came to: `python3 sign_in.py AUTH_URL CLIENT SECRET PTN_TOKEN KEY PASSCODE MODE`, where MODE is how
ptn_sp is decrypted: `ecb-hex`, or `cbc-base64` by mistake."""
import base64
import json
import sys
import urllib.request

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

AUTH_URL, CLIENT, SECRET, PTN_TOKEN, KEY, PASSCODE, MODE = sys.argv[1:8]


def call(path, **fields):
    body = json.dumps({"client_id": CLIENT, "secret_key": SECRET, **fields}).encode()
    headers = {"Content-Type": "application/json;charset=utf-8"}
    request = urllib.request.Request(f"{AUTH_URL}/process/{path}", body, headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def decrypt(text):
    if MODE == "ecb-hex":
        data, mode = bytes.fromhex(text), modes.ECB()
    else:
        raw = base64.b64decode(text)
        data, mode = raw[16:], modes.CBC(raw[:16])
    decryptor = Cipher(algorithms.AES(KEY.encode()), mode).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    padded = decryptor.update(data) + decryptor.finalize()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def sign_in():
    token = call("token", ptn_token=PTN_TOKEN)
    if token["code"] != "0000":
        return ["token", token["code"], token["message"]]
    acs_token = token["result"]["acs_token"]
    first = call("authenticate", acs_token=acs_token)
    try:
        verdict = "signed in" if decrypt(first["result"]["ptn_sp"]) == PASSCODE else "other passcode"
    except Exception as error:
        verdict = type(error).__name__
    again = call("authenticate", acs_token=acs_token)
    grade = token["result"].get("grade")
    return [token["result"]["ptn_cd"], grade, first["message"], verdict, again["code"], again["message"]]


forged = call("token", ptn_token="forged")
print(json.dumps([sign_in(), sign_in(), [forged["code"], forged["message"]]]))
