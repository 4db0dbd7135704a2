import type { Stack } from '../errors.ts';
import type { SituationId } from './error-situations.ts';

/** Where a text comes from: a stack, or a library or server that several stacks use. */
export type TextOrigin = Stack | 'openssl' | 'database' | 'any';

/** The wording of a library's error. */
export interface ErrorText {
  readonly situation: SituationId;
  readonly origin: TextOrigin;
  /** As the library words it; see the table for the placeholders. */
  readonly text: string;
}

/**
 * Known error texts by situation and origin, the more specific first. `<n>` is a number, `<hex>` hexadecimal
 * digits, `<name>` what is in question, `<field>` a field of the callbacks, `…` anything within the line, and `<end>` that no message follows.
 * Texts of Java, Python, Node, PHP, Go and OpenSSL are in fixtures/error-texts.tsv as they print them.
 */
const table = `
media-type
  java: HttpMediaTypeNotSupportedException | Content type '…' not supported
    Content-Type '…' is not supported
  node: FST_ERR_CTP_INVALID_MEDIA_TYPE | UnsupportedMediaTypeError | unsupported charset "…"
  python: Did not attempt to load JSON data because the request Content-Type was not
    Unsupported media type "…" in request
  any: Unsupported Media Type | UnsupportedMediaType | Unsupported content type
    Unsupported content-type | unsupported Content-Type | Invalid Content-Type
csrf
  python: CSRF verification failed | CSRF Failed: | CSRF token is missing | CSRF cookie not set
    CSRF token missing | Origin checking failed
  php: CSRF token mismatch | TokenMismatchException | Page Expired
  ruby: InvalidAuthenticityToken | Can't verify CSRF token authenticity
    didn't match request.base_url
  node: EBADCSRFTOKEN
  any: invalid csrf token
  java: InvalidCsrfTokenException | MissingCsrfTokenException
  csharp: AntiforgeryValidationException | antiforgery token
rejected
  ruby: The change you wanted was rejected | "status":422,"error":"Unprocessable
client-refused
  any: invalid client_id | unknown client_id | wrong client_id | client_id mismatch
    client_id does not match | client_id is invalid | invalid client id | unknown client
    client not found | unregistered client
login-wanted
  any: Full authentication is required to access this resource
    Authentication credentials were not provided | Unauthenticated. | Not authenticated<end>
    No auth token | No authorization token was found | jwt must be provided | jwt malformed
    Missing Authorization header | Authorization header is missing
  php: Route [login] not defined
bot-protection
  any: Just a moment... | Attention Required! | Checking your browser
    Enable JavaScript and cookies to continue
host-refused
  python: Invalid HTTP_HOST header | DisallowedHost
  ruby: Blocked host: | Blocked hosts: | Host not permitted<end>
  node: Blocked request. This host ("…") is not allowed
  any: Misdirected Request | Invalid Host header | Bad Request - Invalid Hostname
too-large
  node: PayloadTooLargeError | FST_ERR_CTP_BODY_TOO_LARGE | Request body is too large
  any: Request Entity Too Large | Payload Too Large | http: request body too large
  php: PostTooLargeException
  python: RequestDataTooBig
no-post
  any: Method Not Allowed | MethodNotAllowed | Unsupported method ('POST')
    HTTP method POST is not supported | The POST method is not supported
    Method "POST" not allowed | Request method 'POST' is not supported
    Request method 'POST' not supported | HttpRequestMethodNotSupportedException
no-slash
  python: but the URL doesn't end in a slash
no-route
  java: NoHandlerFoundException | NoResourceFoundException | No static resource …
    No mapping for POST
  node: Cannot POST /… | Route POST:…not found
  go: 404 page not found
  php: The route …could not be found
  ruby: No route matches
  python: Page not found at /
  any: The requested URL was not found on the server | rest_no_route
    Missing Authentication Token | 404 Not Found
proxy-alone
  any: 502 Bad Gateway | 503 Service Temporarily Unavailable | 504 Gateway Time-out
    upstream connect error or disconnect | upstream prematurely closed connection
    no healthy upstream | upstream request timeout
    Web server is down | ERR_NGROK_<n>
function-failed
  any: Runtime.ImportModuleError | Runtime.HandlerNotFound | Runtime.UserCodeSyntaxError
    Runtime.ExitError | Runtime exited | Task timed out after | Malformed Lambda proxy response
body-missing
  java: Required request body is missing | getInputStream() has already been called
    getReader() has already been called
  node: stream is not readable | Body is unusable | Body has already been read
    FST_ERR_CTP_EMPTY_JSON_BODY | Body cannot be empty when content-type is set
  python: RawPostDataException | You cannot access body after reading from request's data stream
  csharp: A non-empty request body is required
body-unfit
  python: sent a request that this server could not understand
    Input should be a valid dictionary | value is not a valid dict | string indices must be integers
array-for-object
  php: Cannot use object of type stdClass as array
bytes-in-json
  python: Object of type bytes is not JSON serializable
  ruby: source sequence is illegal/malformed utf-8
own-format
  python: cryptography.fernet.InvalidToken | Fernet key must be 32 url-safe base64-encoded bytes
  php: DecryptException | The payload is invalid. | The MAC is invalid.
    Could not decrypt the data.
  ruby: MessageEncryptor::InvalidMessage | MessageVerifier::InvalidSignature
  java: EncryptionOperationNotPossibleException
  csharp: The payload was invalid. | was not found in the key ring
  openssl: bad magic number
padding-refused
  java: Given final block not properly padded | pad block corrupted
  node: ERR_OSSL_BAD_DECRYPT | ERR_OSSL_EVP_BAD_DECRYPT
    The operation failed for an operation-specific reason
    Error during decryption (probably incorrect key)
  openssl: error:1C800064:…bad decrypt | error:06065064:…bad decrypt | error:1C800064
    error:06065064 | BAD_DECRYPT
  python: Invalid padding bytes | PKCS#7 padding is incorrect | Padding is incorrect
  csharp: Padding is invalid and cannot be removed | CryptographicException: Padding is invalid
  go: pkcs7: invalid padding
  ruby: bad decrypt (OpenSSL::Cipher::CipherError)
  any: bad decrypt
  php: The ciphertext has an invalid padding length
block-length
  java: Input length must be multiple of <n> when decrypting with padded cipher
    Input length not multiple of <n> bytes | last block incomplete in decryption
    data not block size aligned
  node: ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH | ERR_OSSL_EVP_WRONG_FINAL_BLOCK_LENGTH
  openssl: error:1C80006B:…wrong final block length | error:0606506D:…wrong final block length
    error:1C80006B | error:0606506D | wrong final block length | data not multiple of block length
    WRONG_FINAL_BLOCK_LENGTH
  python: The length of the provided data is not a multiple of the block length
    Data must be padded to <n> byte boundary in CBC mode
    Data must be aligned to block boundary in ECB mode | Input data is not padded
    Zero-length input cannot be unpadded | Input strings must be a multiple of 16 in length
  go: crypto/cipher: input not full blocks
  csharp: The input data is not a complete block | Length of the data to decrypt is invalid
tag-refused
  java: AEADBadTagException: Tag mismatch | mac check in GCM failed | Tag mismatch!
  node: Unsupported state or unable to authenticate data
  python: cryptography.exceptions.InvalidTag | InvalidTag | MAC check failed
  go: cipher: message authentication failed
  csharp: The computed authentication tag did not match the input authentication tag
    AuthenticationTagMismatchException
  ruby: OpenSSL::Cipher::AuthTagError
tag-missing
  java: Input too short - need tag | Input data too short to contain an expected tag length
    ShortBufferException: Output buffer invalid
  node: Invalid authentication tag length: <n> | ERR_CRYPTO_INVALID_AUTH_TAG
  python: Authentication tag must be <n> bytes or longer
    Authentication tag must be provided when decrypting
  php: A tag should be provided when using AEAD mode
  csharp: The specified tag is not a valid size for this algorithm
key-bytes
  java: Invalid AES key length: <n> bytes | Key length not 128/192/256 bits | Illegal key size
    Unsupported keysize or algorithm parameters
  node: ERR_CRYPTO_INVALID_KEYLEN | RangeError: Invalid key length | Invalid key length
  python: Invalid key size (<n>) for | key must be 128, 192, or 256 bits
    Incorrect AES key length (<n> bytes)
  go: crypto/aes: invalid key size <n>
  csharp: Specified key is not a valid size for this algorithm
  ruby: key must be <n> bytes
  any: AES key must be either 16, 24, or 32 bytes
  php: Key of size <n> not supported by this algorithm
iv-unwanted
  java: ECB mode cannot use IV | Unsupported parameter: javax.crypto.spec.GCMParameterSpec
  php: The tag cannot be used because the cipher algorithm does not support AEAD
    The authenticated tag cannot be provided for cipher that does not support AEAD
iv-missing
  java: InvalidKeyException: Parameters missing | Parameters missing
  php: Using an empty Initialization Vector (iv) is potentially insecure
iv-bytes
  java: Wrong IV length: must be <n> bytes long
  node: ERR_CRYPTO_INVALID_IV | Invalid initialization vector
  python: Invalid IV size (<n>) for | Nonce must be between <n> and <n> bytes
    Incorrect IV length (it must be <n> bytes long)
  go: IV length must equal block size | incorrect nonce length given to GCM
  php: openssl_decrypt(): IV passed is only <n> bytes long
    openssl_decrypt(): IV passed is <n> bytes long which is longer than the <n> expected
    IV passed is only <n> bytes long
    IV passed is <n> bytes long which is longer than the <n> expected
    Setting of IV length for AEAD mode failed
    Received initialization vector of size <n>, but size <n> is required
  csharp: Specified initialization vector (IV) does not match the block size for this algorithm
    The specified nonce is not a valid size for this algorithm
  ruby: iv must be <n> bytes
  any: IV not 16 bytes long | IV must be 16 bytes
    initialisation vector must be the same length as block size
payload-short
  java: IV buffer too short for given offset/length combination
    IllegalArgumentException: Bad arguments
  node: ERR_OUT_OF_RANGE | ERR_BUFFER_OUT_OF_BOUNDS
  python: IndexError: index out of range | IndexError: string index out of range
  go: slice bounds out of range | runtime error: index out of range
  csharp: Index was outside the bounds of the array
    Specified argument was out of the range of valid values | Offset and length were out of bounds
  ruby: data must not be empty
rsa-failed
  java: BadPaddingException: Decryption error | Padding error in decryption
    Padding error in verification | No installed provider supports this key: …RSA
    No installed provider supports this key: javax.crypto.spec.SecretKeySpec
    Message is larger than modulus | Data must not be longer than <n> bytes
    Data must start with zero | input too large for RSA cipher
    attempt to process message too long for cipher | too much data for RSA block
    encrypted message and modulus lengths do not match
  node: RSA_PKCS1_PADDING is no longer supported for private decryption
    ERR_OSSL_RSA_OAEP_DECODING_ERROR | ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE
    Invalid RSAES-PKCS1-v1_5 padding | Encrypted message length is invalid
    Encryption block is invalid
  openssl: rsa routines:…oaep decoding error | rsa routines:…pkcs decoding error
    rsa routines:…data greater than mod len | rsa routines:…data too large for key size
    rsa routines:…data too small for key size | rsa routines:…data too large for modulus
    oaep decoding error | DATA_TOO_LARGE_FOR_KEY_SIZE
  python: Ciphertext length must be equal to key size | Encryption/decryption failed
    ValueError: Decryption failed | ValueError: Encryption failed
    ValueError: Incorrect decryption | Ciphertext with incorrect length
    ValueError: Plaintext is too long
  go: crypto/rsa: decryption error | crypto/rsa: message too long for RSA
  csharp: The length of the data to decrypt is not valid for the size of this key
    The message exceeds the maximum allowable length for the chosen options
  ruby: EVP_PKEY_decrypt: padding check failed | EVP_PKEY_encrypt: data too large for key size
  any: Message too long for RSA | Message is too long for PKCS#1 v1.5 padding
    data too large for key size
  python: bytes needed for message, but there is only space for
value-missing
  go: asn1: syntax error: sequence truncated
public-key-unreadable
  java: InvalidKeyException: IOException: algid parse error, not a sequence
    InvalidKeySpecException | algid parse error, not a sequence
    InvalidKeyException: invalid key format | InvalidKeyException: IOException
    InvalidKeyException: Invalid RSA public key | Missing key encoding
  node: ERR_OSSL_ASN1_WRONG_TAG | ERR_OSSL_PEM_NO_START_LINE | ERR_OSSL_UNSUPPORTED
    Failed to read asymmetric key
  openssl: error:1E08010C:DECODER routines::unsupported | error:1E08010C
    PEM routines:…no start line | asn1 encoding routines:
  python: Could not deserialize key data | Unable to load PEM file
    RSA key format is not supported
  go: asn1: structure error: tags don't match | x509: failed to parse public key
    x509: trailing data after ASN.1 of public-key | asn1: syntax error | pem: no data
    PEM block containing
  php: key parameter is not a valid public key
    Supplied key param cannot be coerced into a public key | NoKeyLoadedException
    Unable to read key
  csharp: ASN1 corrupted data | No supported key formats were found
  ruby: Neither PUB key nor PRIV key | PKeyError: Could not parse PKey
  any: invalid public key | invalid public_key | invalid RSA public key
cipher-name
  java: Cannot find any provider supporting … | No such provider: … | NoSuchPaddingException
    NoSuchAlgorithmException
  node: ERR_CRYPTO_UNKNOWN_CIPHER | Error: Unknown cipher | ERR_OSSL_EVP_UNSUPPORTED
  openssl: error:0308010C:digital envelope routines::unsupported | error:0308010C
  php: openssl_decrypt(): Unknown cipher algorithm | Unknown cipher algorithm
    Call to undefined function mcrypt_encrypt() | Call to undefined function mcrypt_decrypt()
  python: UnsupportedAlgorithm
  ruby: unsupported cipher algorithm
not-base64-text
  java: Illegal base64 character <hex> | Last unit does not have enough valid bits
    Input byte array has incorrect ending byte at <n>
    Input byte array has wrong 4-byte ending unit
    Input byte[] should at least have 2 bytes for base64 bytes
  kotlin: Invalid symbol '…'(<n>) at index <n> | the input is not properly padded
  python: binascii.Error: Incorrect padding | Invalid base64-encoded string
    Only base64 data is allowed | Incorrect padding
    string argument should contain only ASCII characters
  node: InvalidCharacterError | The string to be decoded is not correctly encoded
  go: illegal base64 data at input byte <n>
  csharp: The input is not a valid Base-64 string
  ruby: invalid base64 (ArgumentError) | ArgumentError: invalid base64 | invalid base64
  csharp: System.Convert.FromBase64CharPtr | System.Convert.FromBase64String
  php: Failed to base64 decode the input
not-hex-text
  java: not a hexadecimal digit | string length not even: <n> | Illegal hexadecimal character
    Odd number of characters. | under radix 16
  python: non-hexadecimal number found in fromhex() | Non-hexadecimal digit found
    Odd-length string
  go: encoding/hex: invalid byte | encoding/hex: odd length hex string
  php: hex2bin(): Hexadecimal input string must have an even length
    hex2bin(): Input string must be hexadecimal string
  csharp: The input is not a valid hex string
column-charset
  database: Incorrect string value | invalid byte sequence for encoding "UTF8"
    has no equivalent in encoding
not-text
  python: 'utf-8' codec can't decode byte 0x<hex> in position <n> | 'utf-8' codec can't decode
    'ascii' codec can't decode | 'charmap' codec can't decode | codec can't encode character
  java: MalformedInputException: Input length = <n> | UnmappableCharacterException
    Invalid UTF-8 start byte 0x<hex> | Invalid UTF-8 middle byte 0x<hex>
  node: ERR_ENCODING_INVALID_ENCODED_DATA | The encoded data was not valid for encoding
    Malformed UTF-8 data | URIError: URI malformed
  php: Malformed UTF-8 characters, possibly incorrectly encoded
    iconv(): Detected an illegal character in input string
  ruby: invalid byte sequence in UTF-8 | from ASCII-8BIT to UTF-8
    incompatible character encodings
  csharp: Unable to translate bytes [<hex>] at index <n> from specified code page to Unicode
field-unknown
  java: Unrecognized field "<name>" | UnrecognizedPropertyException
  kotlin: Encountered an unknown key '<name>' | Encountered an unknown key
  go: json: unknown field "<name>"
  python: Extra inputs are not permitted | extra fields not permitted
    got an unexpected keyword argument '<name>'
  node: must NOT have additional properties | property <name> should not exist
    "<name>" is not allowed | Unrecognized key(s) in object: '<name>' | Unrecognized key: "<name>"
  csharp: The JSON property '<name>' could not be mapped to any .NET member
field-value
  any: unsupported used_type | invalid used_type | unknown used_type | used_type is invalid
    must be one of the following values | must be equal to one of the allowed values
    Unhandled match case '<name>' | No enum constant <name><end>
    must be equal to constant | Invalid enum value | is not a valid choice
  python: Input should be '…' or '…' | Input should be '…' | Input should be <n> or <n>
  java: not one of the values accepted for Enum class
  php: The selected <name> is invalid
  node: must be one of [
field-limit
  node: must be shorter than or equal to <n> | must NOT have more than <n> characters
  python: String should have at most <n> | ensure this value has at most <n>
    Ensure this field has no more than <n> characters
  java: size must be between <n> and <n> | length must be between <n> and <n>
  php: must not be greater than <n> characters
  ruby: is too long (maximum is <n> characters)
  csharp: with a maximum length of
user-code-form
  python: invalid literal for int() with base 10: '<name>' | badly formed hexadecimal UUID string
    is not a valid UUID | Input should be a valid UUID
  java: For input string: "<name>" | Invalid UUID string: <name><end>
  ruby: invalid value for Integer(): "<name>"
  go: parsing "<name>": invalid syntax | invalid UUID length: <n> | invalid UUID format
  node: must be a UUID | must be a mongodb id | Cast to ObjectId failed for value "<name>"
    must match format "uuid" | Invalid uuid
  csharp: The input string '<name>' was not in a correct format
  database: invalid input syntax for type uuid: "<name>"
    invalid input syntax for type bigint: "<name>"
    invalid input syntax for type integer: "<name>"
field-type
  go: json: cannot unmarshal
  csharp: The JSON value could not be converted to | Error converting value …to type
    Could not convert string to integer
  java: Cannot deserialize value of type | Cannot construct instance of
    class java.lang.String cannot be cast to class java.lang.Integer
    Failed to convert property value of type | Cannot deserialize instance of
  kotlin: Failed to parse type
  python: Input should be a valid | Input should be an instance of | value is not a valid
  php: Argument #<n> ($<name>) must be of type int, string given
    Argument #<n> ($<name>) must be of type array, string given
  node: must be integer | must be number | must be boolean | must be a boolean value
    Expected number, received string | expected number, received string
    expected boolean, received string
  any: must be an integer | must be a number
field-absent
  java: Required request parameter '<name>' | Required String parameter '<name>' is not present
    JSONObject["<name>"] not found | No value for <name><end>
    on field '<name>': rejected value [null] | on field '<name>': rejected value []
    MissingServletRequestParameterException | must not be null | must not be blank
  kotlin: Field '<name>' is required for type with serial name
    value failed for JSON property <name> due to missing | MissingFieldException
  python: BadRequestKeyError: …KeyError: '<name>' | KeyError: '<name>' | KeyError('<name>')
    MultiValueDictKeyError: '<name>'
    Field required | This field is required
  php: Undefined array key "<name>" | Undefined index: <name><end>
    Undefined property: …$<name> in …on line <n> | Undefined index: <name> in …on line <n>
    Undefined property: …$<name><end> | The <name> field is required
  node: must have required property '<name>' | "<name>" is required | must be a string<end>
    Path \`<name>\` is required | <name> should not be empty | expected string, received undefined
    Expected string, received undefined
  ruby: key not found: "<name>" | key not found: :<name><end>
    param is missing or the value is empty: <name><end>
  go: for '<name>' failed on the 'required' tag
  csharp: The given key '<name>' was not present in the dictionary
    JSON deserialization for type '…' was missing required properties
    Required parameter "string <name>" was not provided from query string
not-json-text
  node: Unexpected token …is not valid JSON | is not valid JSON | in JSON at position <n>
    Unexpected non-whitespace character after JSON
  python: Expecting value: line <n> column <n> (char <n>)
    Expecting property name enclosed in double quotes | Expecting ':' delimiter: line <n>
    Expecting ',' delimiter: line <n> | Extra data: line <n> column <n>
    Invalid control character at: line <n> | Unterminated string starting at: line <n>
    the JSON object must be str, bytes or bytearray, not dict | JSONDecodeError
  java: Unrecognized token …: was expecting | Unexpected character (
    No content to map due to end-of-input | Illegal character ((CTRL-CHAR, code <n>))
    Expected BEGIN_OBJECT but was | A JSONObject text must begin with | JsonParseException
    MalformedJsonException
  any: Unexpected end of JSON input
  kotlin: JsonDecodingException | Unexpected JSON token at offset <n>
  go: looking for beginning of value | looking for beginning of object key string
    after top-level value | in string literal
  php: JsonException: Syntax error | Control character error, possibly incorrectly encoded
  csharp: is an invalid start of a value | The input does not contain any JSON tokens
    is invalid after a single JSON value
  ruby: JSON::ParserError | unexpected token at '
row-duplicate
  database: Duplicate entry '…' for key '<name>' | Duplicate entry '…' for key
    duplicate key value violates unique constraint "<name>"
    duplicate key value violates unique constraint | UNIQUE constraint failed: <name><end>
    UNIQUE constraint failed | ORA-00001 | E11000 duplicate key error
    Cannot insert duplicate key | ER_DUP_ENTRY
  java: DuplicateKeyException | SQLIntegrityConstraintViolationException
  database: SQLSTATE[23505] | Integrity constraint violation: 1062 | code: '23505'
column-short
  database: Data too long for column '…' | value too long for type character varying(<n>)
    ORA-12899 | String or binary data would be truncated
  database: SQLSTATE[22001]
column-null
  database: null value in column "<name>" | violates not-null constraint | Column '<name>' cannot be null
    Field '<name>' doesn't have a default value | notNull Violation: <name> cannot be null
    NOT NULL constraint failed: <name><end> | NOT NULL constraint failed | ORA-01400
    Cannot insert the value NULL into column '<name>' | Cannot insert the value NULL into column
  java: not-null property references a null or transient value
  database: Integrity constraint violation: 1048 | SQLSTATE[23502]
library-missing
  python: No module named '…'
  node: Cannot find module '…' | Cannot find package '…'
  java: NoClassDefFoundError | ClassNotFoundException
  php: Call to undefined function …()
  ruby: cannot load such file
schema-missing
  database: no such table | no such column | relation "…" does not exist
    column "…" does not exist | Table '…' doesn't exist | Unknown column '…' | ORA-00942
    Invalid object name '…'
  database: SQLSTATE[42S02] | SQLSTATE[42P01] | SQLSTATE[42S22]
database-locked
  database: database is locked | database table is locked | SQLITE_BUSY
    Deadlock found when trying to get lock | Lock wait timeout exceeded | deadlock detected
row-parent
  database: foreign key constraint fails | violates foreign key constraint
    FOREIGN KEY constraint failed
database-down
  database: Communications link failure | could not connect to server | SQLSTATE[HY000] [2002]
    ORA-12541 | A network-related or instance-specific error
    connection to server at "…" … failed
  node: MongoServerSelectionError | Can't reach database server
  any: RedisConnectionException: Unable to connect to
database-login
  database: Access denied for user | password authentication failed for user
    NOAUTH Authentication required | ORA-01017 | Login failed for user
connections-used-up
  java: HikariPool-…Connection is not available | Unable to acquire JDBC Connection
  python: QueuePool limit of size <n>
  node: Timeout acquiring a connection
  database: Too many connections | too many clients already
tls-hostname
  node: ERR_TLS_CERT_ALTNAME_INVALID | does not match certificate's altnames
  java: No subject alternative DNS name matching
  go: x509: certificate is valid for
  any: Hostname mismatch, certificate is not valid for | is for other host names
tls-expired
  node: CERT_HAS_EXPIRED | CERT_NOT_YET_VALID
  go: x509: certificate has expired or is not yet valid
  any: certificate has expired | certificate is not yet valid | CertificateExpiredException
tls-version
  any: ERR_SSL_UNSUPPORTED_PROTOCOL | ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION
    ERR_SSL_VERSION_TOO_LOW | alert protocol version | TLSV1_ALERT_PROTOCOL_VERSION
    supports neither TLS 1.2 nor TLS 1.3 | Received fatal alert: protocol_version
    tls: protocol version not supported
tls-untrusted
  node: UNABLE_TO_VERIFY_LEAF_SIGNATURE | SELF_SIGNED_CERT_IN_CHAIN | DEPTH_ZERO_SELF_SIGNED_CERT
    UNABLE_TO_GET_ISSUER_CERT | unable to verify the first certificate
  java: PKIX path building failed | unable to find valid certification path
  go: x509: certificate signed by unknown authority
  csharp: The remote certificate is invalid
  any: self-signed certificate | self signed certificate | unable to get local issuer certificate
    CERTIFICATE_VERIFY_FAILED | The certificate of … is not trusted | certificate verify failed
https-wanted
  any: HTTP request was sent to HTTPS port | Client sent an HTTP request to an HTTPS server
    combination of host and port requires TLS
protocol-error
  any: ERR_SSL_WRONG_VERSION_NUMBER | wrong version number
    Unsupported or unrecognized SSL message | first record does not look like a TLS handshake
    EPROTO | ERR_SSL_PACKET_LENGTH_TOO_LONG
connection-failed
  any: ENOTFOUND | EAI_AGAIN | getaddrinfo | UnknownHostException | Name or service not known
    no such host | ECONNREFUSED | Connection refused | Connection to … refused | ECONNRESET
    socket hang up | Connection reset by peer | Connection reset | ETIMEDOUT
    UND_ERR_CONNECT_TIMEOUT | i/o timeout | context deadline exceeded | Read timed out
    Connect timed out
  php: php_network_getaddresses
user-unknown
  java: No value present | EmptyResultDataAccessException | NoResultException
    EntityNotFoundException | Incorrect result size: expected 1, actual 0
  python: matching query does not exist | No row was found when one was required
  php: No query results for model
  go: sql: no rows in result set | mongo: no documents in result | redis: nil | record not found
  csharp: Sequence contains no elements
  ruby: ActiveRecord::RecordNotFound | Couldn't find …
  node: EntityNotFoundError
  any: user not found | unknown user | no such user | user does not exist | member not found
    user doesn't exist | no user found | no key for | key not found for | user key not found
  node: required but not found | Record to update not found
not-awaited
  node: Received an instance of Promise | [object Promise]
value-missing
  java: Cannot invoke "…" because "…" is null
    Cannot invoke "…" because the return value of "…" is null
    IllegalArgumentException: Missing argument | IllegalArgumentException: Empty key
    NullPointerException
  kotlin: Parameter specified as non-null is null | lateinit property … has not been initialized
  php: base64_encode(): Argument #<n> ($string) must be of type string, null given
  node: Cannot read properties of undefined (reading '<name>')
    Cannot read properties of null (reading '<name>')
    Cannot destructure property '<name>' of '…' | Cannot destructure property
    "key" argument …Received undefined | "key" argument …Received null
    Received undefined | Received null
  python: 'NoneType' object has no attribute '…' | 'NoneType' object is not … | not 'NoneType'
  php: Trying to access array offset on value of type null | Trying to access array offset on null
    Trying to get property '<name>' of non-object
    Attempt to read property "<name>" on null | Call to a member function …() on null
    must be of type string, null given | Passing null to parameter #<n> ($<name>)
  go: invalid memory address or nil pointer dereference | converting NULL to … is unsupported
  csharp: Object reference not set to an instance of an object | Value cannot be null.
  ruby: undefined method …for nil | no implicit conversion of nil into String
    CipherError: key not set | key not set (OpenSSL::Cipher::CipherError)
  node: Cannot read property '<name>' of undefined | Cannot read property '<name>' of null
  csharp: NullReferenceException
text-for-bytes
  python: a bytes-like object is required, not 'str' | must be bytes-like
    can't concat str to bytes | can only concatenate str (not "bytes") to str
    Strings must be encoded before hashing | Object type <class 'str'> cannot be passed to C code
    key must be bytes | 'str' object is not an instance of 'bytes'
    'str' object cannot be converted to 'PyBytes'
  java: class [B cannot be cast to class java.lang.String | [B cannot be cast to
  node: must be of type string or an instance of Buffer | ERR_INVALID_ARG_TYPE
  ruby: no implicit conversion of … into String
  python: 'str' object has no attribute 'decode' | decoding str is not supported
# Names of exceptions alone, where the wording above did not come with them.
padding-refused
  java: BadPaddingException
  csharp: CryptographicException
# OpenSSL has no words for a tag that does not match, so Ruby's exception comes without a message.
tag-refused
  java: AEADBadTagException
  ruby: OpenSSL::Cipher::CipherError<end>
block-length
  java: IllegalBlockSizeException
iv-bytes
  java: InvalidAlgorithmParameterException<end>
key-bytes
  java: InvalidKeyException<end>
payload-short
  java: ArrayIndexOutOfBoundsException | StringIndexOutOfBoundsException | NegativeArraySizeException
no-route
  php: NotFoundHttpException
not-json-text
  go: EOF<end>
# What applications say in their own words.
field-absent
  any: <field> is required | <field> is missing | <field> missing | missing <field> | <field> is null
    missing parameter: <field> | missing field: <field> | required field: <field>
    <field> is empty | <field> cannot be empty | <field> can't be blank | <field> must not be empty
user-unknown
  any: 사용자를 찾을 수 없 | invalid ptn_cd | unknown ptn_cd | ptn_cd not found | ptn_cd is not registered
key-unknown
  any: key not found | no key found | key does not exist | no key was exchanged
decryption-failed
  any: invalid partner_sp | partner_sp is invalid | decrypt fail | decryption fail | 복호화
decryption-failed
  any: decryption failed | failed to decrypt | decrypt failed | decryption error
    could not decrypt | cannot decrypt | can't decrypt | decrypt error | unable to decrypt
not-base64-text
  python: binascii.Error
not-text
  python: UnicodeDecodeError
  java: MalformedInputException
`;

export const errorTexts: readonly ErrorText[] = readTable();

/** A heading is a situation; below it are the texts of each origin, separated by " | " or a line break. */
function readTable(): readonly ErrorText[] {
  const found: ErrorText[] = [];
  let situation = '' as SituationId;
  let origin = 'any' as TextOrigin;
  for (const line of table.trim().split('\n')) {
    if (/^[a-z]/.test(line)) situation = line as SituationId;
    if (!line.startsWith(' ')) continue;
    const [, named = origin, list = ''] = /^ {2}(?:([a-z]+): | {2})(.*)$/.exec(line) ?? [];
    origin = named as TextOrigin;
    found.push(...list.split(' | ').map((text) => ({ situation, origin, text })));
  }
  return found;
}
