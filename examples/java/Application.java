import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** The two callbacks and the sign-in with the JDK's HttpServer and JCE; Gson reads and writes JSON. */
class Application {
    // What `authcli emulate service --port 8081` takes, unless the environment says otherwise.
    static final String CLIENT_ID = env("CLIENT_ID", "authcli-client");
    static final String SECRET_KEY = env("SECRET_KEY", "authcli-emulated-secret");
    static final String AUTH_URL = env("AUTH_URL", "http://127.0.0.1:8081");

    record User(String key, String passcode) {}

    /** By ptn_cd. Yours are in a database, their keys encrypted. */
    static final Map<String, User> users = new ConcurrentHashMap<>();
    static final SecureRandom random = new SecureRandom();
    static final Gson gson = new Gson();
    static final HttpClient client = HttpClient.newHttpClient();

    interface Handler {
        Object handle(JsonObject fields) throws Exception;
    }

    public static void main(String[] args) throws IOException {
        // Otherwise a response on a kept connection waits 40 ms for an ACK between its header and its body.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int port = Integer.parseInt(env("PORT", "8080"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        route(server, "/callback", Application::callback, 400, Map.of("code", "9000", "message", "refused"));
        route(server, "/sign-in", Application::signIn, 401, Map.of("error", "not signed in"));
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
        System.out.println("Listening on http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Why something is refused goes to the log alone. */
    static void route(HttpServer server, String path, Handler handler, int status, Object refusal) {
        server.createContext(path, exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            try {
                respond(exchange, 200, handler.handle(gson.fromJson(body, JsonObject.class)));
            } catch (Exception e) {
                System.err.println(e);
                respond(exchange, status, refusal);
            }
        });
    }

    static void respond(HttpExchange exchange, int status, Object value) throws IOException {
        byte[] body = gson.toJson(value).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json;charset=utf-8");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    static Object callback(JsonObject fields) throws Exception {
        if (!text(fields, "client_id").equals(CLIENT_ID)) throw new IllegalArgumentException("unknown client_id");
        return switch (text(fields, "used_type")) {
            case "1" -> exchangeKey(fields);
            case "2" -> register(fields);
            default -> throw new IllegalArgumentException("unknown used_type");
        };
    }

    static Object exchangeKey(JsonObject fields) throws Exception {
        String ptnCd = text(fields, "ptn_cd");
        byte[] bytes = new byte[24];
        random.nextBytes(bytes);
        String key = Base64.getEncoder().encodeToString(bytes); // 24 random bytes are 32 characters
        String wrapped = wrap(key, text(fields, "public_key"));
        users.put(ptnCd, new User(key, null));
        return Map.of("code", "0000", "message", "", "result", Map.of("enc_partner_key", wrapped));
    }

    static Object register(JsonObject fields) throws Exception {
        String ptnCd = text(fields, "ptn_cd");
        User known = users.get(ptnCd);
        String key = known.key();
        String passcode = decrypt(text(fields, "partner_sp"), key);
        if (fields.has("ubifill")) gson.fromJson(decrypt(text(fields, "ubifill"), key), JsonObject.class);
        // A new key may have come meanwhile: this must not bring the old one back.
        users.replace(ptnCd, known, new User(key, passcode));
        return Map.of("code", "0000", "message", "");
    }

    static Object signIn(JsonObject fields) throws Exception {
        JsonObject token = call("/process/token", Map.of("ptn_token", text(fields, "ptn_token")));
        User user = users.get(text(token, "ptn_cd"));
        JsonObject result = call("/process/authenticate", Map.of("acs_token", text(token, "acs_token")));
        byte[] passcode = decrypt(text(result, "ptn_sp"), user.key()).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(passcode, user.passcode().getBytes(StandardCharsets.UTF_8)))
            throw new IllegalArgumentException("another passcode");
        return Map.of("ptn_cd", text(token, "ptn_cd"));
    }

    /** Calls one of the service's endpoints; throws for any code but "0000". */
    static JsonObject call(String path, Map<String, String> fields) throws Exception {
        JsonObject body = gson.toJsonTree(fields).getAsJsonObject();
        body.addProperty("client_id", CLIENT_ID);
        body.addProperty("secret_key", SECRET_KEY);
        HttpRequest request = HttpRequest.newBuilder(URI.create(AUTH_URL + path))
                .header("Content-type", "application/json;charset=utf-8")
                .timeout(Duration.ofSeconds(10))
                .POST(HttpRequest.BodyPublishers.ofString(gson.toJson(body)))
                .build();
        JsonObject response = gson.fromJson(client.send(request, BodyHandlers.ofString()).body(), JsonObject.class);
        if (!text(response, "code").equals("0000")) throw new IllegalStateException(path + ": " + response);
        return response.getAsJsonObject("result");
    }

    static String wrap(String key, String publicKey) throws Exception {
        var spki = new X509EncodedKeySpec(Base64.getDecoder().decode(publicKey));
        Cipher cipher = Cipher.getInstance("RSA/ECB/PKCS1Padding");
        cipher.init(Cipher.ENCRYPT_MODE, KeyFactory.getInstance("RSA").generatePublic(spki));
        return Base64.getEncoder().encodeToString(cipher.doFinal(key.getBytes(StandardCharsets.UTF_8)));
    }

    /** AES-256-CBC with the key's characters as its bytes, the IV before the ciphertext. */
    static String decrypt(String payload, String key) throws Exception {
        byte[] bytes = Base64.getDecoder().decode(payload);
        if (bytes.length < 32) throw new IllegalArgumentException("not encrypted");
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        var secret = new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "AES");
        cipher.init(Cipher.DECRYPT_MODE, secret, new IvParameterSpec(bytes, 0, 16));
        return new String(cipher.doFinal(Arrays.copyOfRange(bytes, 16, bytes.length)), StandardCharsets.UTF_8);
    }

    /** A field that must be there, and be a string. */
    static String text(JsonObject fields, String name) {
        var value = fields.getAsJsonPrimitive(name);
        if (value == null || !value.isString() || value.getAsString().isEmpty())
            throw new IllegalArgumentException(name + " is missing");
        return value.getAsString();
    }

    static String env(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }
}
