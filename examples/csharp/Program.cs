// The two callbacks and the sign-in with ASP.NET Core's minimal API and System.Security.Cryptography.
using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;

// What `authcli emulate service --port 8081` takes, unless the environment says otherwise.
string Env(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;
var clientId = Env("CLIENT_ID", "authcli-client");
var secretKey = Env("SECRET_KEY", "authcli-emulated-secret");
var authUrl = Env("AUTH_URL", "http://127.0.0.1:8081");

// By ptn_cd. Yours are in a database, their keys encrypted.
var users = new ConcurrentDictionary<string, User>();
// A redirect is an error: the secret goes to {auth_url} alone.
var client = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false }) { Timeout = TimeSpan.FromSeconds(10) };

var app = WebApplication.Create(args);
app.MapPost("/callback", request => Respond(request, Callback, 400, new() { ["code"] = "9000", ["message"] = "refused" }));
app.MapPost("/sign-in", request => Respond(request, SignIn, 401, new() { ["error"] = "not signed in" }));
app.Run($"http://127.0.0.1:{Env("PORT", "8080")}");

// Why something is refused goes to the log alone.
async Task Respond(HttpContext context, Func<JsonNode, Task<JsonObject>> handle, int status, JsonObject refusal)
{
    JsonObject response;
    try
    {
        var fields = await JsonNode.ParseAsync(context.Request.Body) ?? throw new FormatException("no JSON object");
        response = await handle(fields);
    }
    catch (Exception e)
    {
        app.Logger.LogWarning("{Reason}", e.Message);
        context.Response.StatusCode = status;
        response = refusal;
    }
    context.Response.ContentType = "application/json;charset=utf-8";
    await context.Response.WriteAsync(response.ToJsonString());
}

Task<JsonObject> Callback(JsonNode fields)
{
    if (Text(fields, "client_id") != clientId) throw new ArgumentException("unknown client_id");
    return Task.FromResult(Text(fields, "used_type") switch
    {
        "1" => ExchangeKey(Text(fields, "ptn_cd"), Text(fields, "public_key")),
        "2" => Register(Text(fields, "ptn_cd"), Text(fields, "partner_sp"), fields["ubifill"]),
        _ => throw new ArgumentException("unknown used_type"),
    });
}

JsonObject ExchangeKey(string ptnCd, string publicKey)
{
    var key = Convert.ToHexString(RandomNumberGenerator.GetBytes(16)).ToLowerInvariant(); // 32 characters
    using var rsa = RSA.Create();
    rsa.ImportSubjectPublicKeyInfo(Convert.FromBase64String(publicKey), out _);
    var wrapped = rsa.Encrypt(Encoding.UTF8.GetBytes(key), RSAEncryptionPadding.Pkcs1);
    users[ptnCd] = new User(key, null);
    var result = new JsonObject { ["enc_partner_key"] = Convert.ToBase64String(wrapped) };
    return new() { ["code"] = "0000", ["message"] = "", ["result"] = result };
}

JsonObject Register(string ptnCd, string partnerSp, JsonNode? ubifill)
{
    var known = users[ptnCd];
    var passcode = Decrypt(partnerSp, known.Key);
    if (ubifill != null) JsonNode.Parse(Decrypt(ubifill.GetValue<string>(), known.Key)); // keep it with the user
    // A new key may have come meanwhile: this must not bring the old one back.
    users.TryUpdate(ptnCd, new User(known.Key, passcode), known);
    return new() { ["code"] = "0000", ["message"] = "" };
}

async Task<JsonObject> SignIn(JsonNode fields)
{
    var token = await Call("/process/token", "ptn_token", Text(fields, "ptn_token"));
    var user = users[Text(token, "ptn_cd")];
    var result = await Call("/process/authenticate", "acs_token", Text(token, "acs_token"));
    var passcode = Decrypt(Text(result, "ptn_sp"), user.Key);
    if (user.Passcode == null || !CryptographicOperations.FixedTimeEquals(
        Encoding.UTF8.GetBytes(passcode), Encoding.UTF8.GetBytes(user.Passcode)))
        throw new ArgumentException("another passcode");
    return new() { ["ptn_cd"] = Text(token, "ptn_cd") };
}

// Calls one of the service's endpoints; throws for any code but "0000".
async Task<JsonNode> Call(string path, string name, string value)
{
    var body = new JsonObject { ["client_id"] = clientId, ["secret_key"] = secretKey, [name] = value };
    using var content = new StringContent(body.ToJsonString());
    content.Headers.Remove("Content-Type");
    content.Headers.TryAddWithoutValidation("Content-type", "application/json;charset=utf-8");
    var response = await client.PostAsync(authUrl + path, content);
    var parsed = JsonNode.Parse(await response.Content.ReadAsStringAsync())!;
    if (Text(parsed, "code") != "0000") throw new InvalidOperationException($"{path}: {parsed.ToJsonString()}");
    return parsed["result"]!;
}

// AES-256-CBC with the key's characters as its bytes, the IV before the ciphertext.
static string Decrypt(string payload, string key)
{
    var bytes = Convert.FromBase64String(payload);
    using var aes = Aes.Create();
    aes.Key = Encoding.UTF8.GetBytes(key);
    return Encoding.UTF8.GetString(aes.DecryptCbc(bytes.AsSpan(16), bytes.AsSpan(0, 16), PaddingMode.PKCS7));
}

// A field that must be there, and be a string.
static string Text(JsonNode fields, string name) =>
    fields[name]?.GetValue<string>() is { Length: > 0 } text ? text : throw new ArgumentException($"{name} is missing");

record User(string Key, string? Passcode);
