import type { Calls } from './catalogue-entry.ts';

/** Base64 of a ciphertext: the standard alphabet, with padding, on one line (RFC 4648 section 4). */
export const base64Calls: Calls = {
  java: 'Base64.getEncoder().encodeToString(ciphertext)',
  kotlin: 'Base64.getEncoder().encodeToString(ciphertext)',
  node: "ciphertext.toString('base64')",
  python: 'base64.b64encode(ciphertext).decode()',
  php: 'base64_encode($ciphertext)',
  go: 'base64.StdEncoding.EncodeToString(ciphertext)',
  csharp: 'Convert.ToBase64String(ciphertext)',
  ruby: 'Base64.strict_encode64(ciphertext)',
};

/** A random string of 32 characters. */
export const generateCalls: Calls = {
  java: 'new SecureRandom().ints(32, 0, 62).mapToObj(i -> ALPHABET.substring(i, i + 1)).collect(Collectors.joining())',
  kotlin: '(1..32).map { ALPHABET[SecureRandom().nextInt(62)] }.joinToString("")',
  node: "crypto.randomBytes(16).toString('hex')",
  python: 'secrets.token_hex(16)',
  php: 'bin2hex(random_bytes(16))',
  go: '(rand.Text() + rand.Text())[:32] // crypto/rand',
  csharp: 'RandomNumberGenerator.GetHexString(32)',
  ruby: 'SecureRandom.alphanumeric(32)',
};

/** Reading the public key of this very request. */
export const publicKeyCalls: Calls = {
  java: 'KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(publicKey)))',
  kotlin:
    'KeyFactory.getInstance("RSA").generatePublic(X509EncodedKeySpec(Base64.getDecoder().decode(publicKey)))',
  node: "crypto.createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })",
  python: 'load_der_public_key(base64.b64decode(public_key))',
  php: 'openssl_pkey_get_public("-----BEGIN PUBLIC KEY-----\\n" . chunk_split($publicKey, 64) . "-----END PUBLIC KEY-----")',
  go: 'x509.ParsePKIXPublicKey(der)',
  csharp: 'rsa.ImportSubjectPublicKeyInfo(Convert.FromBase64String(publicKey), out _)',
  ruby: 'OpenSSL::PKey::RSA.new(Base64.decode64(public_key))',
};
