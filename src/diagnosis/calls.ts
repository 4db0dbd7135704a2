import type { Calls } from '../errors.ts';
import { capitalised } from '../text.ts';

/** RSAES-PKCS1-v1_5 encryption of the per-user key with the `public_key` of the request (2.2). */
export const wrapCalls: Calls = {
  java: 'Cipher.getInstance("RSA/ECB/PKCS1Padding")',
  kotlin: 'Cipher.getInstance("RSA/ECB/PKCS1Padding")',
  node: 'crypto.publicEncrypt({ key, padding: crypto.constants.RSA_PKCS1_PADDING }, Buffer.from(userKey))',
  python: 'public_key.encrypt(user_key.encode(), padding.PKCS1v15())',
  php: 'openssl_public_encrypt($userKey, $wrapped, $publicKey, OPENSSL_PKCS1_PADDING)',
  go: 'rsa.EncryptPKCS1v15(rand.Reader, publicKey, []byte(userKey))',
  csharp: 'rsa.Encrypt(Encoding.UTF8.GetBytes(userKey), RSAEncryptionPadding.Pkcs1)',
  ruby: 'public_key.public_encrypt(user_key, OpenSSL::PKey::RSA::PKCS1_PADDING)',
};

/** Base64 of a variable: the standard alphabet, with padding, on one line (RFC 4648 section 4). */
export function base64CallsOf(variable: string): Calls {
  return {
    java: `Base64.getEncoder().encodeToString(${variable})`,
    kotlin: `Base64.getEncoder().encodeToString(${variable})`,
    node: `${variable}.toString('base64')`,
    python: `base64.b64encode(${variable}).decode()`,
    php: `base64_encode($${variable})`,
    go: `base64.StdEncoding.EncodeToString(${variable})`,
    csharp: `Convert.ToBase64String(${variable})`,
    ruby: `Base64.strict_encode64(${variable})`,
  };
}

/** A random string of 32 characters. */
export const generateCalls: Calls = {
  java: 'new SecureRandom().ints(32, 0, 62).mapToObj(i -> ALPHABET.substring(i, i + 1)).collect(Collectors.joining())',
  kotlin: '(1..32).map { ALPHABET[SecureRandom().nextInt(62)] }.joinToString("")',
  node: "crypto.randomBytes(16).toString('hex')",
  python: 'secrets.token_hex(16)',
  php: 'bin2hex(random_bytes(16))',
  go: 'random := make([]byte, 16); rand.Read(random); userKey := hex.EncodeToString(random)',
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

/** Responding to a key exchange with the JSON of section 4.1.1. */
export const responseCalls: Calls = {
  java: 'return Map.of("code", "0000", "message", "", "result", Map.of("enc_partner_key", wrapped)); // in a @RestController',
  kotlin:
    'return mapOf("code" to "0000", "message" to "", "result" to mapOf("enc_partner_key" to wrapped))',
  node: "res.json({ code: '0000', message: '', result: { enc_partner_key: wrapped } })",
  python: 'return jsonify(code="0000", message="", result={"enc_partner_key": wrapped})',
  php: "echo json_encode(['code' => '0000', 'message' => '', 'result' => ['enc_partner_key' => $wrapped]]);",
  go: 'json.NewEncoder(w).Encode(map[string]any{"code": "0000", "message": "", "result": map[string]string{"enc_partner_key": wrapped}})',
  csharp:
    'Results.Json(new { code = "0000", message = "", result = new { enc_partner_key = wrapped } })',
  ruby: "render json: { code: '0000', message: '', result: { enc_partner_key: wrapped } }",
};

/** Reading `{field}` of a request by its name on the wire; `{camel}` and `{pascal}` are that name as code spells it. */
export const readCalls: Calls = {
  java: '@JsonProperty("{field}") String {camel}; // Gson: @SerializedName("{field}")',
  kotlin: '@JsonProperty("{field}") val {camel}: String',
  node: 'body.{field}',
  python: 'body["{field}"]',
  php: "$body['{field}']",
  go: '{pascal} string `json:"{field}"`',
  csharp: '[JsonPropertyName("{field}")] public string {pascal} { get; set; }',
  ruby: "body['{field}']",
};

/** Giving a field its name on the wire, whatever it is called in the code. */
export const nameCalls: Calls = {
  java: '@JsonProperty("enc_partner_key") private String encPartnerKey;',
  kotlin: '@JsonProperty("enc_partner_key") val encPartnerKey: String',
  node: '{ enc_partner_key: encPartnerKey }',
  python: 'enc_partner_key: str = Field(serialization_alias="enc_partner_key")',
  php: "['enc_partner_key' => $encPartnerKey]",
  go: 'EncPartnerKey string `json:"enc_partner_key"`',
  csharp: '[JsonPropertyName("enc_partner_key")] public string EncPartnerKey { get; set; }',
  ruby: '{ enc_partner_key: enc_partner_key }',
};

/** A field of the wire as code spells it: `ptnCd` and `PtnCd`. */
export function namesInCode(field: string): readonly [camel: string, pascal: string] {
  const camel = field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [camel, capitalised(camel)];
}

/** Refusing a request without a field. */
export function refuseCallsOf(field: string): Calls {
  const [camel, pascal] = namesInCode(field);
  const missing = `${field} is missing`;
  return {
    java: `if (request.${camel}() == null || request.${camel}().isBlank()) return Map.of("code", "1001", "message", "${missing}");`,
    kotlin: `if (request.${camel}.isNullOrBlank()) return mapOf("code" to "1001", "message" to "${missing}")`,
    node: `if (typeof body.${field} !== 'string') return res.json({ code: '1001', message: '${missing}' })`,
    python: `if not isinstance(body.get("${field}"), str): return jsonify(code="1001", message="${missing}")`,
    php: `if (!is_string($body['${field}'] ?? null)) { exit(json_encode(['code' => '1001', 'message' => '${missing}'])); }`,
    go: `if request.${pascal} == "" { refuse(w, "1001", "${missing}"); return }`,
    csharp: `if (string.IsNullOrEmpty(request.${pascal})) return Results.Json(new { code = "1001", message = "${missing}" });`,
    ruby: `return render json: { code: '1001', message: '${missing}' } unless params[:${field}].is_a?(String)`,
  };
}

/** Reading a callback's body as JSON. */
export const bodyCalls: Calls = {
  java: 'public CallbackResponse callback(@RequestBody CallbackRequest request)',
  kotlin: 'fun callback(@RequestBody request: CallbackRequest): CallbackResponse',
  node: 'app.use(express.json()) // before the route; Koa: app.use(bodyParser()); Lambda: JSON.parse(event.body)',
  python:
    'body = request.get_json() # Django: json.loads(request.body); Lambda: json.loads(event["body"])',
  php: "$body = json_decode(file_get_contents('php://input'), true);",
  go: 'err := json.NewDecoder(r.Body).Decode(&request)',
  csharp: 'public IActionResult Callback([FromBody] CallbackRequest request)',
  ruby: 'body = JSON.parse(request.body.read)',
};

/** Taking the callback out of a protection against forged forms. */
export const exemptCalls: Calls = {
  java: 'http.csrf(csrf -> csrf.ignoringRequestMatchers("/callback")) // Spring Security',
  node: "app.post('/callback', handler) // before the middleware that checks the token",
  python: '@csrf_exempt  # Django',
  php: "$middleware->validateCsrfTokens(except: ['callback']); // Laravel, in bootstrap/app.php; since 13 preventRequestForgery",
  csharp: '[IgnoreAntiforgeryToken]',
  ruby: 'skip_before_action :verify_authenticity_token',
};

/** Keeping each user's key under the user's own code, the newest replacing the older. */
export const storeCalls: Calls = {
  java: `jdbc.update("${upsertOf('?', '?')}", ptnCd, key); // JdbcTemplate`,
  kotlin: `jdbc.update("${upsertOf('?', '?')}", ptnCd, key) // JdbcTemplate`,
  node: `await db.query('${upsertOf('$1', '$2')}', [ptnCd, key]);`,
  python: `db.execute("${upsertOf('?', '?')}", (ptn_cd, key))`,
  php: `$db->prepare('${upsertOf('?', '?')}')->execute([$ptnCd, $key]);`,
  go: `_, err = db.ExecContext(ctx, "${upsertOf('$1', '$2')}", ptnCd, key)`,
  csharp:
    '(await context.UserKeys.FindAsync(ptnCd) ?? context.Add(new UserKey { PtnCd = ptnCd }).Entity).Key = key;',
  ruby: `db.execute('${upsertOf('?', '?')}', [ptn_cd, key])`,
};

/** One statement, so that two key exchanges at once leave one key. */
function upsertOf(ptnCd: string, key: string): string {
  return `INSERT INTO user_keys (ptn_cd, user_key) VALUES (${ptnCd}, ${key}) ON CONFLICT (ptn_cd) DO UPDATE SET user_key = excluded.user_key`;
}

/** The per-user key as the bytes of an AES-256 key: its 32 characters, not decoded. */
export const keyBytesCalls: Calls = {
  java: 'new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "AES")',
  kotlin: 'SecretKeySpec(key.toByteArray(), "AES")',
  node: "Buffer.from(key, 'utf8')",
  python: 'key.encode()',
  php: '$key // keep: neither base64_decode nor hex2bin',
  go: '[]byte(key)',
  csharp: 'Encoding.UTF8.GetBytes(key)',
  ruby: 'key.b',
};
