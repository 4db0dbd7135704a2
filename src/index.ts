/** authcli as a library: the protocol, its cryptography, both sides of it and the diagnosis, without the command line. */

export type { RandomBytes } from './bytes.ts';
export { generateKeyPair } from './client/key-pair.ts';
export {
  type AuthenticateInput,
  type AuthenticateOutcome,
  authenticate,
  requestToken,
  type SigninInput,
  type SigninOutcome,
  signIn,
  type TokenInput,
  type TokenOutcome,
} from './client/signin.ts';
export {
  exchangeKey,
  type KeyExchangeInput,
  type KeyExchangeOutcome,
  type RegistrationInput,
  type RegistrationOutcome,
  register,
  type SignupInput,
  type SignupOutcome,
  simulateSignup,
} from './client/signup.ts';
export {
  createTransport,
  type Exchange,
  type Transport,
  type TransportOptions,
  type WireAnswer,
  type WireRequest,
} from './client/transport.ts';
export { type Cipher, defaultCipher, formatCipher, parseCipher } from './crypto/cipher-notation.ts';
export { fingerprintOfKey } from './crypto/fingerprint.ts';
export { type DecryptResult, decryptPayload, encryptPayload } from './crypto/payload-ciphers.ts';
export { generatePerUserKey } from './crypto/per-user-key.ts';
export { readPrivateKey } from './crypto/private-key.ts';
export { readPublicKey } from './crypto/public-key.ts';
export {
  exportPrivateKey,
  exportPublicKey,
  type RsaPrivateKey,
  type RsaPublicKey,
} from './crypto/rsa-key.ts';
export { unwrapKey, wrapKey } from './crypto/rsaes-pkcs1-v1_5.ts';
export { inspectKeyText } from './diagnosis/key-text.ts';
export { diagnoseWrappedKey, type WrappedKeyFinding } from './diagnosis/wrapped-key.ts';
export { createApplication, handleCallback } from './emulator/application.ts';
export { startServer } from './emulator/server.ts';
export { createService, handleServiceCall } from './emulator/service.ts';
export { AuthcliError, type Diagnosis, type DiagnosisCode, type ErrorCode } from './errors.ts';
export { readUserInformation, type UserInformation } from './protocol/user-info.ts';
