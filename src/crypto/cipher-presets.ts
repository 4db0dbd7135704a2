/** A cipher that a common stack produces when its documentation's example is followed. */
export interface CipherPreset {
  readonly name: string;
  /** In the canonical notation. */
  readonly cipher: string;
  /** Which call makes it. */
  readonly description: string;
}

/** The presets, the ones met most often first: cipher and description by name. */
const table: Readonly<Record<string, readonly [cipher: string, description: string]>> = {
  default: [
    'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
    'a 32-character key is an AES-256 key; a random IV before the ciphertext',
  ],
  'java-aes-cbc': [
    'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
    'Java, Kotlin: AES/CBC/PKCS5Padding, cipher.getIV() before the ciphertext',
  ],
  'java-aes-cbc-key-iv': [
    'aes-256-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=base64',
    'Java: AES/CBC/PKCS5Padding with key.substring(0, 16) as IV',
  ],
  'java-aes-128-key-iv': [
    'aes-128-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=base64',
    'Java: the first 16 characters of the key as AES-128 key and as IV',
  ],
  'java-aes': [
    'aes-256-ecb?key=utf8&padding=pkcs7&encoding=base64',
    'Java: Cipher.getInstance("AES"), which is AES/ECB/PKCS5Padding',
  ],
  'java-aes-gcm': [
    'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=suffix&ivlen=12',
    'Java: AES/GCM/NoPadding, the IV before the ciphertext',
  ],
  'java-sha1prng': [
    'aes-128-ecb?key=sha1prng&padding=pkcs7&encoding=base64',
    'Java: KeyGenerator("AES").init(128, SHA1PRNG seeded with the key), Cipher "AES"',
  ],
  'java-aria-cbc': [
    'aria-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
    'Java with Bouncy Castle: ARIA/CBC/PKCS7Padding',
  ],
  'java-desede': [
    'des-ede3-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
    'Java: DESede/CBC/PKCS5Padding with the first 24 characters',
  ],
  'node-aes-256-cbc': [
    'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=hex',
    'Node: createCipheriv("aes-256-cbc", key, iv), IV and ciphertext in hex',
  ],
  'node-aes-256-gcm': [
    'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=after-iv&ivlen=12',
    'Node: createCipheriv("aes-256-gcm"), Buffer.concat([iv, authTag, ciphertext])',
  ],
  'node-aes-256-ctr': [
    'aes-256-ctr?key=utf8&iv=prefix&padding=none&encoding=hex',
    'Node: createCipheriv("aes-256-ctr", key, iv), IV and ciphertext in hex',
  ],
  'cryptojs-passphrase': [
    'aes-256-cbc?key=evp-md5&padding=pkcs7&encoding=base64',
    'CryptoJS.AES.encrypt(text, key): begins with "U2FsdGVkX1"',
  ],
  'cryptojs-utf8-key': [
    'aes-256-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=base64',
    'CryptoJS: enc.Utf8.parse(key), its first 16 characters as IV',
  ],
  'cryptojs-ecb': [
    'aes-256-ecb?key=utf8&padding=pkcs7&encoding=base64',
    'CryptoJS: enc.Utf8.parse(key), mode.ECB',
  ],
  'openssl-enc': [
    'aes-256-cbc?key=evp-sha256&padding=pkcs7&encoding=base64',
    'openssl enc -aes-256-cbc -a -pass, from 1.1.0 on, without -pbkdf2',
  ],
  'openssl-enc-md5': [
    'aes-256-cbc?key=evp-md5&padding=pkcs7&encoding=base64',
    'openssl enc -aes-256-cbc -a -pass of 1.0 and before, or with -md md5',
  ],
  'php-openssl': [
    'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
    'PHP: base64_encode($iv . openssl_encrypt(…, OPENSSL_RAW_DATA, $iv))',
  ],
  'php-openssl-zero-iv': [
    'aes-256-cbc?key=utf8&iv=zero&padding=pkcs7&encoding=base64',
    'PHP: openssl_encrypt($text, "aes-256-cbc", $key), no IV given',
  ],
  'php-md5-key': [
    'aes-256-cbc?key=md5-hex&iv=zero&padding=pkcs7&encoding=base64',
    'PHP: md5($key) as key: 32 small hex digits',
  ],
  'php-mcrypt': [
    'aes-256-cbc?key=utf8&iv=prefix&padding=zero&encoding=base64',
    'PHP: mcrypt_encrypt(MCRYPT_RIJNDAEL_128, …, MCRYPT_MODE_CBC), filled with NUL bytes',
  ],
  'python-aes-gcm': [
    'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=suffix&ivlen=12',
    'Python: AESGCM(key).encrypt(nonce, …), the nonce first',
  ],
  'python-pycryptodome-gcm': [
    'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=after-iv&ivlen=16',
    'PyCryptodome: AES.MODE_GCM, nonce (16 bytes) + tag + ciphertext',
  ],
  'python-sha256-key': [
    'aes-256-cbc?key=sha256&iv=prefix&padding=pkcs7&encoding=base64',
    'Python: hashlib.sha256(key).digest() as key, the IV first',
  ],
  'go-aes-gcm': [
    'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=suffix&ivlen=12',
    'Go: gcm.Seal(nonce, nonce, …)',
  ],
  'go-aes-cfb': [
    'aes-256-cfb?key=utf8&iv=prefix&padding=none&encoding=base64url',
    'Go: cipher.NewCFBEncrypter with base64.URLEncoding',
  ],
  'dotnet-aes-cbc': [
    'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
    '.NET: Aes.Create() (CBC, PKCS7), aes.IV before the ciphertext',
  ],
  'hex-key-aes-128': [
    'aes-128-cbc?key=hex&iv=prefix&padding=pkcs7&encoding=base64',
    'a key of 32 hex digits read as the 16 bytes of an AES-128 key',
  ],
};

export const cipherPresets: readonly CipherPreset[] = Object.entries(table).map(
  ([name, [cipher, description]]) => ({ name, cipher, description }),
);
