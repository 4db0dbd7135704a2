import type { Calls } from '../errors.ts';

/* How the decisions of a sign-in are written, by stack. */

/** Success is the string "0000" and nothing else. */
export const comparesCode: Calls = {
  java: 'if (!"0000".equals(answer.code())) throw new SignInRefused();',
  kotlin: 'check(answer.code == "0000")',
  node: "if (answer.code !== '0000') throw new Error('refused');",
  python: 'if answer.get("code") != "0000": raise SignInRefused()',
  php: "if (($answer['code'] ?? null) !== '0000') throw new SignInRefused();",
  go: 'if answer.Code != "0000" { return ErrRefused }',
  csharp: 'if (answer.Code != "0000") throw new SignInRefused();',
  ruby: "raise SignInRefused unless answer['code'] == '0000'",
};

/** Both passcodes whole, as bytes. */
export const comparesPasscode: Calls = {
  java: 'MessageDigest.isEqual(found.getBytes(UTF_8), stored.getBytes(UTF_8))',
  kotlin: 'MessageDigest.isEqual(found.toByteArray(), stored.toByteArray())',
  node: 'a.length === b.length && crypto.timingSafeEqual(a, b) // Buffers of both',
  python: 'hmac.compare_digest(found.encode(), stored.encode())',
  php: 'hash_equals($stored, $found)',
  go: 'subtle.ConstantTimeCompare([]byte(found), []byte(stored)) == 1',
  csharp: 'CryptographicOperations.FixedTimeEquals(found, stored) // bytes of both',
  ruby: 'OpenSSL.secure_compare(found, stored)',
};

/** Whatever goes wrong ends without a session. */
export const refusesOnError: Calls = {
  java: 'catch (Exception e) { return refused(); } // never signedIn()',
  kotlin: 'runCatching { signIn(token) }.getOrElse { return refused() }',
  node: 'try { user = await signIn(token); } catch { return refused(); }',
  python: 'except Exception: return refused()  # never pass',
  php: 'catch (Throwable) { return refused(); }',
  go: 'if err != nil { return refused(err) }',
  csharp: 'catch (Exception) { return Refused(); }',
  ruby: 'rescue StandardError then return refused',
};

/** The user is the one of the token response, looked up by the whole code. */
export const findsUser: Calls = {
  java: 'User user = users.get(result.ptnCd()); if (user == null) throw new SignInRefused();',
  kotlin: 'val user = users[result.ptnCd] ?: throw SignInRefused()',
  node: "const user = typeof ptn_cd === 'string' ? users.get(ptn_cd) : undefined; if (!user) refuse();",
  python: 'user = users[result["ptn_cd"]]  # raises if it is missing',
  php: "if (!$user || $user['ptn_cd'] !== $result['ptn_cd']) throw new SignInRefused(); // whatever the column folds",
  go: 'user, ok := users[result.PtnCd]; if !ok { return ErrRefused }',
  csharp: 'if (!users.TryGetValue(result.PtnCd, out var user)) throw new SignInRefused();',
  ruby: "user = users.fetch(result['ptn_cd']) # raises if it is missing",
};

/** A redirect is an error: the secret key goes to {auth_url} only. */
export const followsNoRedirect: Calls = {
  java: 'HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER)',
  kotlin: 'OkHttpClient.Builder().followRedirects(false)',
  node: "fetch(url, { ...options, redirect: 'error' })",
  python: 'requests.post(url, json=fields, headers=headers, allow_redirects=False, timeout=10)',
  php: 'curl_setopt($curl, CURLOPT_FOLLOWLOCATION, false);',
  go: 'CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }',
  csharp: 'new HttpClientHandler { AllowAutoRedirect = false }',
  ruby: 'Net::HTTP.post(uri, body, headers) # follows none',
};

/** The body of a request is UTF-8 from its first byte. */
export const sendsNoMark: Calls = {
  java: 'HttpRequest.BodyPublishers.ofString(json) // UTF-8, no mark',
  kotlin: 'json.toByteArray().toRequestBody("application/json;charset=utf-8".toMediaType())',
  node: 'body: JSON.stringify(fields)',
  python: "data=json.dumps(fields).encode('utf-8')  # not 'utf-8-sig'",
  php: 'curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($fields)); // nothing in front of it',
  go: 'body, err := json.Marshal(fields) // sent as it is',
  csharp:
    'new ByteArrayContent(JsonSerializer.SerializeToUtf8Bytes(fields)) // not StreamWriter with Encoding.UTF8',
  ruby: 'Net::HTTP.post(uri, JSON.generate(fields), headers)',
};

/** A request has a time limit. */
export const limitsTime: Calls = {
  java: 'HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10))',
  kotlin: 'OkHttpClient.Builder().callTimeout(10, TimeUnit.SECONDS)',
  node: 'fetch(url, { ...options, signal: AbortSignal.timeout(10_000) })',
  python: 'requests.post(url, json=fields, headers=headers, allow_redirects=False, timeout=10)',
  php: 'curl_setopt($curl, CURLOPT_TIMEOUT, 10);',
  go: 'http.Client{Timeout: 10 * time.Second}',
  csharp: 'new HttpClient { Timeout = TimeSpan.FromSeconds(10) }',
  ruby: 'http.open_timeout = http.read_timeout = 10',
};
