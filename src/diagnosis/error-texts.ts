import type { Stack } from '../errors.ts';
import type { SituationId } from './error-situations.ts';

/** Where a text comes from: a stack, or a library or server that several stacks use. */
export type TextOrigin = Stack | 'openssl' | 'database' | 'any';

/** The wording of a library's error. */
export interface ErrorText {
  readonly situation: SituationId;
  readonly origin: TextOrigin;
  /** As the library words it; see {@link errorTexts} for the placeholders. */
  readonly text: string;
}

/**
 * Known error texts, the more specific first. `<n>` is a number, `<hex>` hexadecimal digits, `<field>` a
 * field of the callbacks, `…` anything within the line, and `<end>` that no message follows. Texts of Java, Python, Node, PHP, Go and
 * OpenSSL are in fixtures/error-texts.tsv as they print them.
 */
export const errorTexts: readonly ErrorText[] = [
  ...texts('own-format', {
    python:
      'cryptography.fernet.InvalidToken | Fernet key must be 32 url-safe base64-encoded bytes',
    php: `
      DecryptException | The payload is invalid. | The MAC is invalid.
      Could not decrypt the data.`,
    ruby: 'MessageEncryptor::InvalidMessage | MessageVerifier::InvalidSignature',
    java: 'EncryptionOperationNotPossibleException',
    csharp: 'The payload was invalid. | was not found in the key ring',
    openssl: 'bad magic number',
  }),
  ...texts('padding-refused', {
    java: 'Given final block not properly padded | pad block corrupted',
    node: `
      ERR_OSSL_BAD_DECRYPT | ERR_OSSL_EVP_BAD_DECRYPT
      The operation failed for an operation-specific reason`,
    openssl:
      'error:1C800064:…bad decrypt | error:06065064:…bad decrypt | error:1C800064 | error:06065064',
    python: 'Invalid padding bytes | PKCS#7 padding is incorrect | Padding is incorrect',
    csharp: 'Padding is invalid and cannot be removed | CryptographicException: Padding is invalid',
    go: 'pkcs7: invalid padding',
    ruby: 'bad decrypt (OpenSSL::Cipher::CipherError)',
    any: 'bad decrypt',
  }),
  ...texts('block-length', {
    java: `
      Input length must be multiple of <n> when decrypting with padded cipher
      Input length not multiple of <n> bytes | last block incomplete in decryption
      data not block size aligned`,
    node: 'ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH | ERR_OSSL_EVP_WRONG_FINAL_BLOCK_LENGTH',
    openssl: `
      error:1C80006B:…wrong final block length | error:0606506D:…wrong final block length
      error:1C80006B | error:0606506D | wrong final block length
      data not multiple of block length`,
    python: `
      The length of the provided data is not a multiple of the block length
      Data must be padded to <n> byte boundary in CBC mode
      Data must be aligned to block boundary in ECB mode | Input data is not padded
      Zero-length input cannot be unpadded`,
    go: 'crypto/cipher: input not full blocks',
    csharp: 'The input data is not a complete block | Length of the data to decrypt is invalid',
  }),
  ...texts('tag-refused', {
    java: 'AEADBadTagException: Tag mismatch | mac check in GCM failed | Tag mismatch!',
    node: 'Unsupported state or unable to authenticate data',
    python: 'cryptography.exceptions.InvalidTag | InvalidTag | MAC check failed',
    go: 'cipher: message authentication failed',
    csharp: `
      The computed authentication tag did not match the input authentication tag
      AuthenticationTagMismatchException`,
    ruby: 'OpenSSL::Cipher::AuthTagError',
  }),
  ...texts('tag-missing', {
    java: `
      Input too short - need tag | Input data too short to contain an expected tag length
      ShortBufferException: Output buffer invalid`,
    node: 'Invalid authentication tag length: <n> | ERR_CRYPTO_INVALID_AUTH_TAG',
    python: `
      Authentication tag must be <n> bytes or longer
      Authentication tag must be provided when decrypting`,
    php: 'A tag should be provided when using AEAD mode',
    csharp: 'The specified tag is not a valid size for this algorithm',
  }),
  ...texts('key-bytes', {
    java: 'Invalid AES key length: <n> bytes | Key length not 128/192/256 bits | Illegal key size',
    node: 'ERR_CRYPTO_INVALID_KEYLEN | RangeError: Invalid key length | Invalid key length',
    python: `
      Invalid key size (<n>) for AES | key must be 128, 192, or 256 bits
      Incorrect AES key length (<n> bytes)`,
    go: 'crypto/aes: invalid key size <n>',
    csharp: 'Specified key is not a valid size for this algorithm',
    ruby: 'key must be <n> bytes',
  }),
  ...texts('iv-unwanted', {
    java: 'ECB mode cannot use IV',
    php: `
      The tag cannot be used because the cipher algorithm does not support AEAD
      The authenticated tag cannot be provided for cipher that does not support AEAD`,
  }),
  ...texts('iv-missing', {
    java: 'InvalidKeyException: Parameters missing | Parameters missing',
    php: 'Using an empty Initialization Vector (iv) is potentially insecure',
  }),
  ...texts('iv-bytes', {
    java: 'Wrong IV length: must be <n> bytes long',
    node: 'ERR_CRYPTO_INVALID_IV | Invalid initialization vector',
    python: `
      Invalid IV size (<n>) for | Nonce must be between <n> and <n> bytes
      Incorrect IV length (it must be <n> bytes long)`,
    go: 'IV length must equal block size | incorrect nonce length given to GCM',
    php: `
      openssl_decrypt(): IV passed is only <n> bytes long
      openssl_decrypt(): IV passed is <n> bytes long which is longer than the <n> expected
      IV passed is only <n> bytes long
      IV passed is <n> bytes long which is longer than the <n> expected
      Setting of IV length for AEAD mode failed`,
    csharp: `
      Specified initialization vector (IV) does not match the block size for this algorithm
      The specified nonce is not a valid size for this algorithm`,
    ruby: 'iv must be <n> bytes',
  }),
  ...texts('payload-short', {
    java: `
      IV buffer too short for given offset/length combination | ArrayIndexOutOfBoundsException
      StringIndexOutOfBoundsException | NegativeArraySizeException
      IllegalArgumentException: Bad arguments`,
    node: 'ERR_OUT_OF_RANGE | ERR_BUFFER_OUT_OF_BOUNDS',
    python: 'IndexError: index out of range | IndexError: string index out of range',
    go: 'slice bounds out of range | runtime error: index out of range',
    csharp: `
      Index was outside the bounds of the array
      Specified argument was out of the range of valid values
      Offset and length were out of bounds`,
    ruby: 'data must not be empty',
  }),
  ...texts('rsa-failed', {
    java: `
      BadPaddingException: Decryption error | Padding error in decryption
      Padding error in verification | No installed provider supports this key: …RSA
      Message is larger than modulus | Data must not be longer than <n> bytes`,
    node: `
      RSA_PKCS1_PADDING is no longer supported for private decryption
      ERR_OSSL_RSA_OAEP_DECODING_ERROR | ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE`,
    openssl: `
      rsa routines:…oaep decoding error | rsa routines:…pkcs decoding error
      rsa routines:…data greater than mod len | rsa routines:…data too large for key size
      rsa routines:…data too small for key size | rsa routines:…data too large for modulus
      oaep decoding error`,
    python: `
      Ciphertext length must be equal to key size | Encryption/decryption failed
      ValueError: Decryption failed | ValueError: Encryption failed
      ValueError: Incorrect decryption | Ciphertext with incorrect length
      ValueError: Plaintext is too long`,
    go: 'crypto/rsa: decryption error | crypto/rsa: message too long for RSA',
    csharp: 'The length of the data to decrypt is not valid for the size of this key',
    ruby: 'EVP_PKEY_decrypt: padding check failed | EVP_PKEY_encrypt: data too large for key size',
  }),
  ...texts('public-key-unreadable', {
    java: `
      InvalidKeyException: IOException: algid parse error, not a sequence
      InvalidKeySpecException | algid parse error, not a sequence
      InvalidKeyException: invalid key format | InvalidKeyException: IOException
      InvalidKeyException: Invalid RSA public key | Missing key encoding`,
    node: `
      ERR_OSSL_ASN1_WRONG_TAG | ERR_OSSL_PEM_NO_START_LINE | ERR_OSSL_UNSUPPORTED
      Failed to read asymmetric key`,
    openssl: `
      error:1E08010C:DECODER routines::unsupported | error:1E08010C | PEM routines:…no start line
      asn1 encoding routines:`,
    python:
      'Could not deserialize key data | Unable to load PEM file | RSA key format is not supported',
    go: `
      asn1: structure error: tags don't match | x509: failed to parse public key
      x509: trailing data after ASN.1 of public-key | asn1: syntax error`,
    php: `
      key parameter is not a valid public key
      Supplied key param cannot be coerced into a public key`,
    csharp: 'ASN1 corrupted data | No supported key formats were found',
    ruby: 'Neither PUB key nor PRIV key | PKeyError: Could not parse PKey',
  }),
  ...texts('cipher-name', {
    java: `
      Cannot find any provider supporting … | No such provider: … | NoSuchPaddingException
      NoSuchAlgorithmException`,
    node: 'ERR_CRYPTO_UNKNOWN_CIPHER | Error: Unknown cipher | ERR_OSSL_EVP_UNSUPPORTED',
    openssl: 'error:0308010C:digital envelope routines::unsupported | error:0308010C',
    php: `
      openssl_decrypt(): Unknown cipher algorithm | Unknown cipher algorithm
      Call to undefined function mcrypt_encrypt() | Call to undefined function mcrypt_decrypt()`,
    python: 'UnsupportedAlgorithm',
    ruby: 'unsupported cipher algorithm',
  }),
  ...texts('not-base64-text', {
    java: `
      Illegal base64 character <hex> | Last unit does not have enough valid bits
      Input byte array has incorrect ending byte at <n>
      Input byte array has wrong 4-byte ending unit
      Input byte[] should at least have 2 bytes for base64 bytes`,
    kotlin: "Invalid symbol '…'(<n>) at index <n> | the input is not properly padded",
    python: `
      binascii.Error: Incorrect padding | Invalid base64-encoded string
      Only base64 data is allowed | Incorrect padding
      string argument should contain only ASCII characters`,
    node: 'InvalidCharacterError | The string to be decoded is not correctly encoded',
    go: 'illegal base64 data at input byte <n>',
    csharp: 'The input is not a valid Base-64 string',
    ruby: 'invalid base64 (ArgumentError) | ArgumentError: invalid base64 | invalid base64',
  }),
  ...texts('not-hex-text', {
    java: `
      not a hexadecimal digit | string length not even: <n> | Illegal hexadecimal character
      Odd number of characters. | under radix 16`,
    python:
      'non-hexadecimal number found in fromhex() | Non-hexadecimal digit found | Odd-length string',
    go: 'encoding/hex: invalid byte | encoding/hex: odd length hex string',
    php: `
      hex2bin(): Hexadecimal input string must have an even length
      hex2bin(): Input string must be hexadecimal string`,
    csharp: 'The input is not a valid hex string',
  }),
  ...texts('column-charset', {
    database: `
      Incorrect string value | invalid byte sequence for encoding "UTF8"
      has no equivalent in encoding`,
  }),
  ...texts('not-text', {
    python: `
      'utf-8' codec can't decode byte 0x<hex> in position <n> | 'utf-8' codec can't decode
      'ascii' codec can't decode | 'charmap' codec can't decode | codec can't encode character`,
    java: `
      MalformedInputException: Input length = <n> | UnmappableCharacterException
      Invalid UTF-8 start byte 0x<hex> | Invalid UTF-8 middle byte 0x<hex>`,
    node: `
      ERR_ENCODING_INVALID_ENCODED_DATA | The encoded data was not valid for encoding
      Malformed UTF-8 data | URIError: URI malformed`,
    php: `
      Malformed UTF-8 characters, possibly incorrectly encoded
      iconv(): Detected an illegal character in input string`,
    ruby: `
      invalid byte sequence in UTF-8 | from ASCII-8BIT to UTF-8
      incompatible character encodings | source sequence is illegal/malformed utf-8`,
    csharp: 'Unable to translate bytes [<hex>] at index <n> from specified code page to Unicode',
  }),
  ...texts('body-refused', {
    java: `
      Required request body is missing | HttpMediaTypeNotSupportedException
      Content type '…' not supported | Content-Type '…' is not supported`,
    any: 'request entity too large',
    node: 'PayloadTooLargeError | stream is not readable',
    python: `
      CSRF verification failed
      Did not attempt to load JSON data because the request Content-Type was not
      Unsupported media type "…" in request`,
    php: 'CSRF token mismatch | TokenMismatchException',
    ruby: "InvalidAuthenticityToken | Can't verify CSRF token authenticity",
  }),
  ...texts('field-unknown', {
    java: 'Unrecognized field "…" | UnrecognizedPropertyException',
    kotlin: 'Encountered an unknown key',
    go: 'json: unknown field',
    python: `
      Extra inputs are not permitted | extra fields not permitted
      got an unexpected keyword argument`,
    node: `
      must NOT have additional properties | property … should not exist
      "<field>" is not allowed`,
    csharp: 'could not be mapped to any .NET member',
  }),
  ...texts('field-absent', {
    java: `Required request parameter '<field>' | JSONObject["<field>"] not found`,
    kotlin: "Field '<field>' is required for type with serial name | MissingFieldException",
    python: "KeyError: '<field>' | Field required | KeyError('<field>')",
    php: 'Undefined array key "<field>" | Undefined index: <field> | Undefined property: …$<field>',
    node: `must have required property '<field>' | "<field>" is required`,
    ruby: 'key not found: "<field>" | param is missing or the value is empty: <field>',
    go: "failed on the 'required' tag",
  }),
  ...texts('text-for-bytes', {
    python: `
      a bytes-like object is required, not 'str' | must be bytes-like
      Object of type bytes is not JSON serializable | can't concat str to bytes
      can only concatenate str (not "bytes") to str
      Object type <class 'str'> cannot be passed to C code`,
    java: 'ClassCastException | Cannot deserialize value of type',
    go: 'json: cannot unmarshal',
    csharp: 'The JSON value could not be converted to',
    php: 'Array to string conversion',
  }),
  ...texts('not-json-text', {
    node: `
      Unexpected token …is not valid JSON | is not valid JSON | in JSON at position <n>
      Unexpected non-whitespace character after JSON`,
    python: `
      Expecting value: line <n> column <n> (char <n>)
      Expecting property name enclosed in double quotes | Expecting ':' delimiter: line <n>
      Expecting ',' delimiter: line <n> | Extra data: line <n> column <n>
      Invalid control character at: line <n> | Unterminated string starting at: line <n>
      JSONDecodeError`,
    java: `
      Unrecognized token …: was expecting | Unexpected character (
      No content to map due to end-of-input | Illegal character ((CTRL-CHAR, code <n>))
      Expected BEGIN_OBJECT but was | A JSONObject text must begin with | JsonParseException
      MalformedJsonException`,
    any: 'Unexpected end of JSON input',
    kotlin: 'JsonDecodingException | Unexpected JSON token at offset <n>',
    go: `
      looking for beginning of value | looking for beginning of object key string
      after top-level value | in string literal`,
    php: 'JsonException: Syntax error | Control character error, possibly incorrectly encoded',
    csharp: `
      is an invalid start of a value | The input does not contain any JSON tokens
      is invalid after a single JSON value`,
    ruby: 'JSON::ParserError',
  }),
  ...texts('row-duplicate', {
    database: `
      Duplicate entry '…' for key | duplicate key value violates unique constraint
      UNIQUE constraint failed | ORA-00001 | E11000 duplicate key error
      Cannot insert duplicate key | ER_DUP_ENTRY`,
    java: 'DuplicateKeyException | SQLIntegrityConstraintViolationException',
  }),
  ...texts('column-short', {
    database: `
      Data too long for column '…' | value too long for type character varying(<n>) | ORA-12899
      String or binary data would be truncated`,
  }),
  ...texts('column-null', {
    database: `
      violates not-null constraint | Column '…' cannot be null | NOT NULL constraint failed
      ORA-01400 | Cannot insert the value NULL into column`,
    java: 'not-null property references a null or transient value',
  }),
  ...texts('schema-missing', {
    database: `
      no such table | no such column | relation "…" does not exist | column "…" does not exist
      Table '…' doesn't exist | Unknown column '…' | ORA-00942 | Invalid object name '…'`,
  }),
  ...texts('database-down', {
    any: 'ECONNREFUSED | Connection refused | ETIMEDOUT',
    database: `
      Communications link failure | could not connect to server | SQLSTATE[HY000] [2002]
      ORA-12541 | A network-related or instance-specific error`,
    java: 'HikariPool-…Connection is not available | Unable to acquire JDBC Connection',
    python: 'QueuePool limit of size <n>',
    node: 'MongoServerSelectionError | Timeout acquiring a connection',
    php: 'php_network_getaddresses',
  }),
  ...texts('user-unknown', {
    java: `
      No value present | EmptyResultDataAccessException | NoResultException
      EntityNotFoundException | Incorrect result size: expected 1, actual 0`,
    python:
      "matching query does not exist | No row was found when one was required | KeyError: '…'",
    php: 'No query results for model | Undefined array key "…"',
    go: 'sql: no rows in result set | mongo: no documents in result | redis: nil',
    csharp: "Sequence contains no elements | The given key '…' was not present in the dictionary",
    ruby: "ActiveRecord::RecordNotFound | Couldn't find …",
    node: 'EntityNotFoundError | required but not found',
  }),
  ...texts('value-missing', {
    java: `
      Cannot invoke "…" because "…" is null
      Cannot invoke "…" because the return value of "…" is null
      IllegalArgumentException: Missing argument | IllegalArgumentException: Empty key
      NullPointerException`,
    kotlin:
      'Parameter specified as non-null is null | lateinit property … has not been initialized',
    node: `
      Cannot read properties of undefined (reading …)
      Cannot read properties of null (reading …) | Cannot destructure property
      Received undefined | Received null`,
    python: "'NoneType' object has no attribute '…' | 'NoneType' object is not … | not 'NoneType'",
    php: `
      Trying to access array offset on value of type null | Trying to access array offset on null
      Attempt to read property "…" on null | Call to a member function …() on null
      must be of type string, null given`,
    go: 'invalid memory address or nil pointer dereference',
    csharp: 'Object reference not set to an instance of an object | Value cannot be null.',
    ruby: `
      undefined method …for nil | no implicit conversion of nil into String
      CipherError: key not set | key not set (OpenSSL::Cipher::CipherError)`,
  }),
  ...texts('text-for-bytes', {
    node: 'ERR_INVALID_ARG_TYPE | must be of type string or an instance of',
    php: 'must be of type string, … given',
    ruby: 'no implicit conversion of … into String',
  }),
  // Names of exceptions alone, where the wording above did not come with them.
  ...texts('padding-refused', {
    java: 'BadPaddingException',
    csharp: 'CryptographicException',
  }),
  // OpenSSL has no words for a tag that does not match, so Ruby's exception comes without a message.
  ...texts('tag-refused', {
    java: 'AEADBadTagException',
    ruby: 'OpenSSL::Cipher::CipherError<end>',
  }),
  ...texts('block-length', {
    java: 'IllegalBlockSizeException',
  }),
  ...texts('iv-bytes', {
    java: 'InvalidAlgorithmParameterException<end>',
  }),
  ...texts('key-bytes', {
    java: 'InvalidKeyException<end>',
  }),
  ...texts('not-base64-text', {
    python: 'binascii.Error',
  }),
  ...texts('not-text', {
    python: 'UnicodeDecodeError',
    java: 'MalformedInputException',
  }),
];

/** Texts by origin, separated by " | " or a line break. */
function texts(
  situation: SituationId,
  byOrigin: Readonly<Partial<Record<TextOrigin, string>>>,
): readonly ErrorText[] {
  return Object.entries(byOrigin).flatMap(([origin, list]) =>
    list
      .trim()
      .split(/ \| |\n\s*/)
      .map((text) => ({ situation, origin: origin as TextOrigin, text })),
  );
}
