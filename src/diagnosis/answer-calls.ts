import type { Calls } from './catalogue-entry.ts';

/** Answering a key exchange with the JSON of section 4.1.1. */
export const answerCalls: Calls = {
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

/** Taking a callback's body as UTF-8 JSON and refusing one that is none. */
export const refuseCalls: Calls = {
  java: 'public Map<String, Object> callback(@Valid @RequestBody CallbackRequest request) // with @NotBlank on the fields',
  kotlin:
    'fun callback(@Valid @RequestBody request: CallbackRequest) // with @field:NotBlank on the fields',
  node: "if (typeof body.ptn_cd !== 'string') return res.json({ code: '1001', message: 'ptn_cd is missing' })",
  python:
    'if not isinstance(body.get("ptn_cd"), str): return jsonify(code="1001", message="ptn_cd is missing")',
  php: "if (!is_string($body['ptn_cd'] ?? null)) { exit(json_encode(['code' => '1001', 'message' => 'ptn_cd is missing'])); }",
  go: 'if request.PtnCd == "" { refuse(w, "1001", "ptn_cd is missing"); return }',
  csharp:
    'if (string.IsNullOrEmpty(request.PtnCd)) return Results.Json(new { code = "1001", message = "ptn_cd is missing" });',
  ruby: "return render json: { code: '1001', message: 'ptn_cd is missing' } unless params[:ptn_cd].is_a?(String)",
};

/** Keeping each user's key under the user's own code, the newest replacing the older. */
export const storeCalls: Calls = {
  java: 'keys.save(new UserKey(request.ptnCd(), key)); // ptn_cd is the @Id',
  kotlin: 'keys.save(UserKey(ptnCd = request.ptnCd, key = key)) // ptn_cd is the @Id',
  node: "await db.query('INSERT INTO user_keys (ptn_cd, user_key) VALUES ($1, $2) ON CONFLICT (ptn_cd) DO UPDATE SET user_key = excluded.user_key', [ptnCd, key])",
  python: 'UserKey.objects.update_or_create(ptn_cd=ptn_cd, defaults={"user_key": key})',
  php: "UserKey::updateOrCreate(['ptn_cd' => $ptnCd], ['user_key' => $key]);",
  go: 'db.ExecContext(ctx, "INSERT INTO user_keys (ptn_cd, user_key) VALUES ($1, $2) ON CONFLICT (ptn_cd) DO UPDATE SET user_key = excluded.user_key", ptnCd, key)',
  csharp:
    '(await context.UserKeys.FindAsync(ptnCd) ?? context.Add(new UserKey { PtnCd = ptnCd }).Entity).Key = key;',
  ruby: 'UserKey.upsert({ ptn_cd: ptn_cd, user_key: key }, unique_by: :ptn_cd)',
};
