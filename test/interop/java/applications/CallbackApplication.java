import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A callback endpoint with nothing but the JDK. Run as: CallbackApplication PORT [FAULT], where
 * FAULT is oaep, mime or static-key.
 */
class CallbackApplication {
    private static final String CLIENT_ID = "my-shop";
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final String TEXT = "\"((?:[^\"\\\\]++|\\\\.)*+)\"";
    private static final Pattern MEMBER =
            Pattern.compile("\\s*" + TEXT + "\\s*:\\s*(?:" + TEXT + "|[-+.\\w]+)\\s*([,}])\\s*");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))");

    private final String fault;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, String> keys = new ConcurrentHashMap<>();
    private final Map<String, String> passcodes = new ConcurrentHashMap<>();

    CallbackApplication(String fault) {
        this.fault = fault;
    }

    public static void main(String[] args) throws IOException {
        CallbackApplication application = new CallbackApplication(args.length > 1 ? args[1] : "");
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        HttpServer server = HttpServer.create(address, 0);
        server.createContext("/callback", application::handle);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
        System.out.println("Listening on http://127.0.0.1:" + server.getAddress().getPort());
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        byte[] answer = answer(body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json;charset=utf-8");
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private String answer(String body) {
        try {
            Map<String, String> fields = readObject(body);
            if (!CLIENT_ID.equals(fields.get("client_id"))) return error("9001", "unknown client");
            String usedType = required(fields, "used_type");
            if (usedType.equals("1")) return exchangeKey(fields);
            if (usedType.equals("2")) return register(fields);
            return error("9002", "unknown used_type");
        } catch (IllegalArgumentException | GeneralSecurityException e) {
            return error("9003", "bad request");
        }
    }

    private String exchangeKey(Map<String, String> fields) throws GeneralSecurityException {
        String ptnCd = required(fields, "ptn_cd");
        byte[] encoded = Base64.getDecoder().decode(required(fields, "public_key"));
        PublicKey publicKey = KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(encoded));
        String key = newKey();
        Cipher cipher = Cipher.getInstance(
                fault.equals("oaep") ? "RSA/ECB/OAEPWithSHA-256AndMGF1Padding" : "RSA/ECB/PKCS1Padding");
        cipher.init(Cipher.ENCRYPT_MODE, publicKey);
        byte[] wrapped = cipher.doFinal(key.getBytes(StandardCharsets.UTF_8));
        Base64.Encoder encoder = fault.equals("mime") ? Base64.getMimeEncoder() : Base64.getEncoder();
        keys.put(ptnCd, key);
        return "{\"code\":\"0000\",\"message\":\"\",\"result\":{\"enc_partner_key\":"
                + quote(encoder.encodeToString(wrapped)) + "}}";
    }

    private String register(Map<String, String> fields) throws GeneralSecurityException {
        String ptnCd = required(fields, "ptn_cd");
        String key = keys.get(ptnCd);
        if (key == null) return error("9004", "unknown user");
        String passcode = decrypt(required(fields, "partner_sp"), key);
        if (fields.containsKey("ubifill")) readObject(decrypt(fields.get("ubifill"), key));
        passcodes.put(ptnCd, passcode);
        return "{\"code\":\"0000\",\"message\":\"\"}";
    }

    private String newKey() {
        if (fault.equals("static-key")) return "MyShopSecretKey0MyShopSecretKey1";
        StringBuilder key = new StringBuilder();
        for (int i = 0; i < 32; i++) key.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        return key.toString();
    }

    private static String decrypt(String payload, String key) throws GeneralSecurityException {
        byte[] bytes = Base64.getDecoder().decode(payload);
        if (bytes.length < 32) throw new IllegalArgumentException("too short");
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cipher.init(
                Cipher.DECRYPT_MODE,
                new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "AES"),
                new IvParameterSpec(bytes, 0, 16));
        byte[] plain = cipher.doFinal(Arrays.copyOfRange(bytes, 16, bytes.length));
        return new String(plain, StandardCharsets.UTF_8);
    }

    private static String required(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null || value.isEmpty()) throw new IllegalArgumentException(name);
        return value;
    }

    private static String error(String code, String message) {
        return "{\"code\":" + quote(code) + ",\"message\":" + quote(message) + "}";
    }

    /** Reads a flat JSON object; values that are no strings are left out. */
    private static Map<String, String> readObject(String json) {
        String text = json.trim();
        if (!text.startsWith("{")) throw new IllegalArgumentException("no object");
        Map<String, String> fields = new HashMap<>();
        Matcher member = MEMBER.matcher(text).region(1, text.length());
        while (member.lookingAt()) {
            if (member.group(2) != null) fields.put(unescape(member.group(1)), unescape(member.group(2)));
            if (member.group(3).equals("}") && member.end() == text.length()) return fields;
            member.region(member.end(), text.length());
        }
        throw new IllegalArgumentException("no JSON");
    }

    private static String unescape(String text) {
        return ESCAPE.matcher(text).replaceAll(escape -> Matcher.quoteReplacement(
                escape.group(1) != null
                        ? String.valueOf((char) Integer.parseInt(escape.group(1), 16))
                        : switch (escape.group(2)) {
                            case "n" -> "\n";
                            case "r" -> "\r";
                            case "t" -> "\t";
                            case "b" -> "\b";
                            case "f" -> "\f";
                            default -> escape.group(2);
                        }));
    }

    private static String quote(String text) {
        String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"");
        return "\"" + escaped.replace("\r", "\\r").replace("\n", "\\n") + "\"";
    }
}
