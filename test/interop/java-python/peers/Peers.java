import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Plays the service, the application or both, for many combinations of settings in one process.
 * Prints {"port": N}, then reads a job a line and writes its result a line (matrix/peer.ts says which).
 * Shares no code with authcli. What differs from run to run (ciphertexts, keys of RSA) is logged by its form.
 */
public final class Peers {
  private static final Gson GSON = new Gson();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final Map<String, Role> ROLES = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    ExecutorService workers = Executors.newCachedThreadPool(Peers::daemon);
    server.setExecutor(workers);
    server.createContext("/", Peers::serve);
    server.start();
    System.out.println("{\"port\": " + server.getAddress().getPort() + "}");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonObject job = JsonParser.parseString(line).getAsJsonObject();
      workers.submit(() -> run(job));
    }
    System.exit(0);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  }

  private static void run(JsonObject job) {
    JsonObject result = new JsonObject();
    result.add("id", job.get("id"));
    try {
      result.add("log", work(job));
    } catch (Exception error) {
      result.addProperty("error", error.toString());
    }
    byte[] line = (GSON.toJson(result) + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (Peers.class) {
      System.out.write(line, 0, line.length);
      System.out.flush();
    }
  }

  private static JsonArray work(JsonObject job) throws Exception {
    String name = text(job, "name");
    switch (text(job, "do")) {
      case "begin" -> ROLES.put("application " + name, new Application(job.getAsJsonObject("spec")));
      case "sign-up" -> {
        Service service = new Service(job.getAsJsonObject("spec"));
        ROLES.put("service " + name, service);
        service.signUp(text(job, "to"));
      }
      case "sign-in" -> ((Application) ROLES.get("application " + name)).signIn(text(job, "to"));
      default -> {
        return ROLES.remove(text(job, "role") + " " + name).log;
      }
    }
    return null;
  }

  private static void serve(HttpExchange exchange) {
    try (exchange) {
      String[] parts = exchange.getRequestURI().toString().split("/", 3);
      boolean isCallback = parts[2].startsWith("callback");
      Role role = ROLES.get((isCallback ? "application " : "service ") + parts[1]);
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      JsonObject fields = JsonParser.parseString(body).getAsJsonObject();
      JsonObject shown = new JsonObject();
      for (Map.Entry<String, JsonElement> field : fields.entrySet()) {
        boolean isSecret = List.of("public_key", "partner_sp", "ubifill").contains(field.getKey());
        String text = field.getValue().getAsString();
        if (isSecret) shown.add(field.getKey(), formOf(text));
        else shown.addProperty(field.getKey(), text);
      }
      JsonObject line = new JsonObject();
      line.addProperty(
          "request",
          exchange.getRequestMethod() + " " + parts[2] + " " + exchange.getProtocol());
      line.add("headers", headersOf(exchange.getRequestHeaders()));
      line.add("fields", shown);
      role.write(line);
      String operation = parts[2].substring(parts[2].lastIndexOf('/') + 1);
      byte[] response = GSON.toJson(role.respond(operation, fields)).getBytes(StandardCharsets.UTF_8);
      String fault = isCallback ? role.fault() : "";
      exchange
          .getResponseHeaders()
          .set("Content-Type", fault.equals("html-type") ? "text/html" : "application/json");
      exchange.getResponseHeaders().set("X-Role", role.getClass().getSimpleName());
      exchange.sendResponseHeaders(fault.equals("status-500") ? 500 : 200, response.length);
      exchange.getResponseBody().write(response);
    } catch (Exception error) {
      System.err.println(error);
    }
  }

  private static String text(JsonObject object, String name) {
    return object.get(name).getAsString();
  }

  /** What the text of a key or ciphertext looks like. */
  private static JsonObject formOf(String text) {
    JsonObject form = new JsonObject();
    form.addProperty("length", text.length());
    form.addProperty("lines", text.lines().count());
    form.addProperty("ends", text.matches("(?s).*[=\\n]") ? text.substring(text.length() - 1) : "");
    form.addProperty("is_plain", text.matches("[A-Za-z0-9+/_-]+={0,2}"));
    return form;
  }

  /** By name, but for the ones that the other side's address and the time change. */
  private static JsonElement headersOf(Map<String, List<String>> headers) {
    Map<String, List<String>> shown = new TreeMap<>(headers);
    shown.keySet().removeIf(name -> List.of("host", "date").contains(name.toLowerCase()));
    return GSON.toJsonTree(shown);
  }

  private abstract static class Role {
    final JsonObject spec;
    final JsonArray log = new JsonArray();
    final Map<String, String> keys = new ConcurrentHashMap<>();

    Role(JsonObject spec) {
      this.spec = spec;
    }

    abstract JsonObject respond(String operation, JsonObject fields) throws Exception;

    String fault() {
      return text(spec, "fault");
    }

    synchronized void write(JsonObject line) {
      log.add(line);
    }

    JsonObject post(URI uri, JsonObject fields, String... headers) throws Exception {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(uri)
              .timeout(Duration.ofSeconds(60))
              .header("Content-type", "application/json;charset=utf-8")
              .POST(HttpRequest.BodyPublishers.ofString(GSON.toJson(fields)));
      if (headers.length > 0) request.headers(headers);
      HttpResponse<String> response =
          CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
      JsonObject parsed = new JsonObject();
      try {
        parsed = JsonParser.parseString(response.body()).getAsJsonObject();
      } catch (RuntimeException error) {
        // a body that isn't a JSON object has no code
      }
      JsonObject line = new JsonObject();
      line.addProperty("status", response.statusCode());
      line.add("headers", headersOf(response.headers().map()));
      line.add("code", parsed.get("code"));
      line.add("message", parsed.get("message"));
      write(line);
      JsonElement result = parsed.get("result");
      return result != null && result.isJsonObject() ? result.getAsJsonObject() : new JsonObject();
    }
  }

  private static final class Service extends Role {
    private final RSAPrivateCrtKey privateKey;

    Service(JsonObject spec) throws GeneralSecurityException {
      super(spec);
      byte[] der = Base64.getDecoder().decode(text(spec, "private_key"));
      privateKey =
          (RSAPrivateCrtKey)
              KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
    }

    private String publicKey() throws GeneralSecurityException {
      RSAPublicKeySpec numbers =
          new RSAPublicKeySpec(privateKey.getModulus(), privateKey.getPublicExponent());
      byte[] der = KeyFactory.getInstance("RSA").generatePublic(numbers).getEncoded();
      return switch (text(spec, "form")) {
        case "lines" -> Base64.getMimeEncoder().encodeToString(der);
        case "pem" -> "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
            + "\n-----END PUBLIC KEY-----\n";
        default -> Base64.getEncoder().encodeToString(der);
      };
    }

    private JsonObject callback(String to, String kind, String ptnCd, Map<String, String> fields)
        throws Exception {
      JsonObject body = new JsonObject();
      body.add("client_id", spec.get("client_id"));
      body.addProperty("used_type", kind);
      body.addProperty("ptn_cd", ptnCd);
      fields.forEach(body::addProperty);
      return post(URI.create(to), body, "X-Trace", ptnCd);
    }

    void signUp(String to) throws Exception {
      for (JsonElement each : spec.getAsJsonArray("users")) {
        JsonObject user = each.getAsJsonObject();
        String ptnCd = text(user, "ptn_cd");
        JsonObject result = callback(to, "1", ptnCd, Map.of("public_key", publicKey()));
        String wrapped =
            result.has("enc_partner_key") ? text(result, "enc_partner_key") : "";
        String key = unwrap(wrapped);
        JsonObject line = new JsonObject();
        line.add("wrapped", formOf(wrapped));
        line.addProperty("key", key);
        write(line);
        if (key == null || key.length() != 32) continue;
        keys.put(ptnCd, key);
        String partnerSp = encrypt(text(spec, "cipher"), key, text(user, "passcode"));
        String ubifill = encrypt(text(spec, "cipher"), key, writeUser(user, text(spec, "format")));
        callback(to, "2", ptnCd, Map.of("partner_sp", partnerSp, "ubifill", ubifill));
      }
    }

    private String unwrap(String wrapped) {
      try {
        Cipher cipher = Cipher.getInstance("RSA/ECB/PKCS1Padding");
        cipher.init(Cipher.DECRYPT_MODE, privateKey);
        byte[] key = cipher.doFinal(Base64.getDecoder().decode(wrapped));
        return new String(key, StandardCharsets.UTF_8);
      } catch (GeneralSecurityException | IllegalArgumentException error) {
        return null;
      }
    }

    @Override
    JsonObject respond(String operation, JsonObject fields) throws Exception {
      boolean isToken = operation.equals("token");
      String ptnCd = text(fields, isToken ? "ptn_token" : "acs_token").substring(3);
      JsonObject response = new JsonObject();
      if (!text(fields, "secret_key").equals(text(spec, "secret_key"))) {
        response.addProperty("code", "4001");
        response.addProperty("message", "refused");
        return response;
      }
      JsonObject result = new JsonObject();
      if (isToken) {
        ZonedDateTime expiry =
            ZonedDateTime.now(ZoneId.of(text(spec, "zone")))
                .plusSeconds(spec.get("ttl").getAsInt());
        result.addProperty("acs_token", "at-" + ptnCd);
        result.addProperty("expire_dt", expiry.format(DateTimeFormatter.ofPattern("yyyyMMddHHmmss")));
        result.addProperty("ptn_cd", ptnCd);
      } else {
        for (JsonElement each : spec.getAsJsonArray("users")) {
          JsonObject user = each.getAsJsonObject();
          if (!text(user, "ptn_cd").equals(ptnCd)) continue;
          String passcode = text(user, "passcode");
          result.addProperty("ptn_sp", encrypt(text(spec, "cipher"), keys.get(ptnCd), passcode));
        }
      }
      response.addProperty("code", "0000");
      response.addProperty("message", isToken ? "issued" : "");
      response.add("result", result);
      return response;
    }
  }

  private static final class Application extends Role {
    private final Map<String, String> passcodes = new ConcurrentHashMap<>();

    Application(JsonObject spec) {
      super(spec);
    }

    private String newKey(String ptnCd) throws GeneralSecurityException {
      byte[] seed = (text(spec, "seed") + ptnCd).getBytes(StandardCharsets.UTF_8);
      byte[] drawn = MessageDigest.getInstance("SHA-512").digest(seed);
      if (fault().equals("base64-key")) {
        return Base64.getEncoder().encodeToString(Arrays.copyOf(drawn, 32));
      }
      String all =
          text(spec, "cipher").contains("key=hex")
              ? new BigInteger(1, drawn).toString(16)
              : Base64.getEncoder().encodeToString(drawn).replaceAll("[^A-Za-z0-9]", "");
      return all.substring(0, fault().equals("short-key") ? 16 : 32);
    }

    private String wrap(RSAPublicKey publicKey, String key) throws GeneralSecurityException {
      if (fault().equals("plain-key")) return key;
      String padding =
          switch (fault()) {
            case "oaep" -> "OAEPWithSHA-1AndMGF1Padding";
            case "unpadded" -> "NoPadding";
            default -> "PKCS1Padding";
          };
      Cipher cipher = Cipher.getInstance("RSA/ECB/" + padding);
      cipher.init(Cipher.ENCRYPT_MODE, publicKey);
      byte[] wrapped = cipher.doFinal(key.getBytes(StandardCharsets.UTF_8));
      String base64 = Base64.getEncoder().encodeToString(wrapped);
      return switch (fault()) {
        case "hexadecimal" -> hex(wrapped);
        case "base64url" -> Base64.getUrlEncoder().withoutPadding().encodeToString(wrapped);
        case "line-breaks" -> Base64.getMimeEncoder().encodeToString(wrapped);
        case "base64-twice" -> Base64.getEncoder()
            .encodeToString(base64.getBytes(StandardCharsets.UTF_8));
        default -> base64;
      };
    }

    @Override
    JsonObject respond(String operation, JsonObject fields) throws Exception {
      JsonObject response = new JsonObject();
      JsonObject line = new JsonObject();
      String ptnCd = text(fields, "ptn_cd");
      if (text(fields, "used_type").equals("1")) {
        String publicKey = text(fields, "public_key");
        String block = publicKey.replaceAll("-----[^-]+-----|\\s", "");
        PublicKey read =
            KeyFactory.getInstance("RSA")
                .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(block)));
        RSAPublicKey rsa = (RSAPublicKey) read;
        line.add("key", formOf(publicKey));
        line.addProperty("of", rsa.getModulus().bitLength() + " " + rsa.getPublicExponent());
        write(line);
        String key = newKey(ptnCd);
        keys.put(ptnCd, key);
        JsonObject result = new JsonObject();
        result.addProperty("enc_partner_key", wrap(rsa, key));
        if (fault().equals("shown-key")) result.addProperty("debug", key);
        if (fault().equals("code-number")) response.addProperty("code", 0);
        else response.addProperty("code", "0000");
        response.addProperty("message", "");
        if (!fault().equals("no-result")) response.add("result", result);
        return response;
      }
      try {
        String key = keys.get(ptnCd);
        boolean isOther = spec.has("application_cipher");
        String notation = text(spec, isOther ? "application_cipher" : "cipher");
        String passcode = decrypt(notation, key, text(fields, "partner_sp"));
        passcodes.put(ptnCd, passcode);
        line.addProperty("passcode", passcode);
        line.addProperty("info", decrypt(notation, key, text(fields, "ubifill")));
      } catch (GeneralSecurityException | IllegalArgumentException error) {
        response.addProperty("code", "9001");
        response.addProperty("message", error.toString());
        return response;
      }
      write(line);
      response.addProperty("code", "0000");
      response.addProperty("message", "registered");
      return response;
    }

    private JsonObject call(String url, String field, String value) throws Exception {
      JsonObject body = new JsonObject();
      body.add("client_id", spec.get("client_id"));
      body.add("secret_key", spec.get("secret_key"));
      body.addProperty(field, value);
      return post(URI.create(url), body);
    }

    void signIn(String to) throws Exception {
      for (JsonElement each : spec.getAsJsonArray("users")) {
        String ptnCd = text(each.getAsJsonObject(), "ptn_cd");
        JsonObject issued = call(to + "/process/token", "ptn_token", "pt-" + ptnCd);
        ZoneId zone = ZoneId.of(text(spec, "zone"));
        DateTimeFormatter form = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");
        ZonedDateTime expiry = LocalDateTime.parse(text(issued, "expire_dt"), form).atZone(zone);
        long life = Duration.between(ZonedDateTime.now(zone), expiry).toSeconds();
        JsonObject found =
            call(to + "/process/authenticate", "acs_token", text(issued, "acs_token"));
        String passcode = decrypt(text(spec, "cipher"), keys.get(ptnCd), text(found, "ptn_sp"));
        JsonObject line = new JsonObject();
        line.addProperty("user", text(issued, "ptn_cd"));
        line.addProperty("fresh", Math.abs(life - spec.get("ttl").getAsInt()) < 30);
        line.addProperty("signed_in", passcode.equals(passcodes.get(ptnCd)));
        write(line);
      }
    }
  }

  private static String writeUser(JsonObject user, String format) {
    String email = text(user, "email");
    String name = text(user, "name");
    String phone = text(user, "phone");
    JsonObject json = new JsonObject();
    switch (format) {
      case "json" -> {
        json.addProperty("email", email);
        json.addProperty("name", name);
        json.addProperty("phone", phone);
        return GSON.toJson(json);
      }
      case "json-other" -> {
        json.addProperty("eml", email);
        json.addProperty("nm", name);
        json.addProperty("hp", phone);
        json.addProperty("grade", 3);
        return GSON.toJson(json);
      }
      case "xml" -> {
        return "<?xml version=\"1.0\"?>\n<user><email>" + email + "</email><name>" + name
            + "</name><phone>" + phone + "</phone></user>";
      }
      case "form" -> {
        return "email=" + URLEncoder.encode(email, StandardCharsets.UTF_8)
            + "&name=" + URLEncoder.encode(name, StandardCharsets.UTF_8)
            + "&phone=" + URLEncoder.encode(phone, StandardCharsets.UTF_8);
      }
      case "pipe" -> {
        return String.join("|", email, name, phone);
      }
      default -> {
        return "email: " + email + "\nname: " + name + "\nphone: " + phone;
      }
    }
  }

  private static String encrypt(String notation, String key, String text)
      throws GeneralSecurityException {
    PayloadCipher cipher = new PayloadCipher(notation);
    byte[] payload = cipher.encrypt(key, text.getBytes(StandardCharsets.UTF_8));
    return switch (cipher.parts.get("encoding")) {
      case "hex" -> hex(payload);
      case "base64url" -> Base64.getUrlEncoder().encodeToString(payload);
      default -> Base64.getEncoder().encodeToString(payload);
    };
  }

  private static String decrypt(String notation, String key, String payload)
      throws GeneralSecurityException {
    PayloadCipher cipher = new PayloadCipher(notation);
    byte[] bytes =
        switch (cipher.parts.get("encoding")) {
          case "hex" -> unhex(payload);
          case "base64url" -> Base64.getUrlDecoder().decode(payload);
          default -> Base64.getDecoder().decode(payload);
        };
    return new String(cipher.decrypt(key, bytes), StandardCharsets.UTF_8);
  }

  private static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte each : bytes) text.append(String.format("%02x", each));
    return text.toString();
  }

  private static byte[] unhex(String text) {
    byte[] bytes = new byte[text.length() / 2];
    for (int at = 0; at < bytes.length; at++) {
      bytes[at] = (byte) Integer.parseInt(text.substring(2 * at, 2 * at + 2), 16);
    }
    return bytes;
  }

  /** A cipher by its notation, with javax.crypto. */
  private static final class PayloadCipher {
    final Map<String, String> parts = new HashMap<>();
    private final String family;
    private final String mode;
    private final int keyBytes;
    private final int ivBytes;

    PayloadCipher(String notation) {
      String[] halves = notation.split("\\?");
      String[] names = halves[0].split("-");
      for (String part : halves[1].split("&")) parts.put(part.split("=")[0], part.split("=")[1]);
      family = names[0].equals("des") ? "DESede" : "AES";
      mode = names[2].toUpperCase();
      keyBytes = family.equals("DESede") ? 24 : Integer.parseInt(names[1]) / 8;
      int blockBytes = family.equals("DESede") ? 8 : 16;
      String ivlen = parts.getOrDefault("ivlen", String.valueOf(blockBytes));
      ivBytes = mode.equals("ECB") ? 0 : Integer.parseInt(ivlen);
    }

    private boolean isSalted() {
      return parts.get("key").startsWith("evp-");
    }

    private int headerBytes() {
      if (isSalted()) return 8;
      return "prefix".equals(parts.get("iv")) ? ivBytes : 0;
    }

    private static byte[] digest(String name, byte[]... pieces) throws GeneralSecurityException {
      MessageDigest digest = MessageDigest.getInstance(name);
      for (byte[] piece : pieces) digest.update(piece);
      return digest.digest();
    }

    /** The key and the IV, one behind the other. */
    private byte[] material(String key, byte[] header) throws GeneralSecurityException {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      byte[] all = new byte[keyBytes + ivBytes];
      if (isSalted()) {
        String name = parts.get("key").equals("evp-md5") ? "MD5" : "SHA-256";
        byte[] last = {};
        for (int at = 0; at < all.length; at += last.length) {
          last = digest(name, last, bytes, header);
          System.arraycopy(last, 0, all, at, Math.min(last.length, all.length - at));
        }
        return all;
      }
      byte[] read =
          switch (parts.get("key")) {
            case "hex" -> unhex(key);
            case "sha256" -> digest("SHA-256", bytes);
            case "md5" -> digest("MD5", bytes);
            case "md5-hex" -> Peers.hex(digest("MD5", bytes)).getBytes(StandardCharsets.US_ASCII);
            case "sha1prng" -> generated(bytes);
            default -> bytes;
          };
      System.arraycopy(read, 0, all, 0, keyBytes);
      byte[] iv =
          switch (parts.getOrDefault("iv", "zero")) {
            case "prefix" -> header;
            case "key-head" -> Arrays.copyOf(bytes, ivBytes);
            case "key-tail" -> Arrays.copyOfRange(bytes, bytes.length - ivBytes, bytes.length);
            default -> new byte[ivBytes];
          };
      System.arraycopy(iv, 0, all, keyBytes, ivBytes);
      return all;
    }

    private byte[] generated(byte[] seed) throws GeneralSecurityException {
      SecureRandom random = SecureRandom.getInstance("SHA1PRNG");
      random.setSeed(seed);
      KeyGenerator generator = KeyGenerator.getInstance(family);
      generator.init(keyBytes * 8, random);
      return generator.generateKey().getEncoded();
    }

    private byte[] apply(int direction, String key, byte[] header, byte[] data)
        throws GeneralSecurityException {
      boolean isFilled = "pkcs7".equals(parts.get("padding"));
      String padding = isFilled ? "PKCS5Padding" : "NoPadding";
      Cipher cipher = Cipher.getInstance(family + "/" + mode + "/" + padding);
      byte[] all = material(key, header);
      AlgorithmParameterSpec iv = null;
      if (mode.equals("GCM")) iv = new GCMParameterSpec(128, all, keyBytes, ivBytes);
      else if (ivBytes > 0) iv = new IvParameterSpec(all, keyBytes, ivBytes);
      cipher.init(direction, new SecretKeySpec(all, 0, keyBytes, family), iv);
      return cipher.doFinal(data);
    }

    byte[] encrypt(String key, byte[] text) throws GeneralSecurityException {
      byte[] header = new byte[headerBytes()];
      new SecureRandom().nextBytes(header);
      boolean isZero = "zero".equals(parts.get("padding"));
      byte[] padded = isZero ? Arrays.copyOf(text, (text.length + 15) / 16 * 16) : text;
      byte[] body = apply(Cipher.ENCRYPT_MODE, key, header, padded);
      if ("after-iv".equals(parts.get("tag"))) {
        byte[] tag = Arrays.copyOfRange(body, body.length - 16, body.length);
        body = join(tag, Arrays.copyOf(body, body.length - 16));
      }
      byte[] magic = isSalted() ? "Salted__".getBytes(StandardCharsets.US_ASCII) : new byte[0];
      return join(magic, join(header, body));
    }

    byte[] decrypt(String key, byte[] payload) throws GeneralSecurityException {
      int from = isSalted() ? 8 : 0;
      int bodyAt = from + headerBytes();
      byte[] header = Arrays.copyOfRange(payload, from, bodyAt);
      byte[] body = Arrays.copyOfRange(payload, bodyAt, payload.length);
      if ("after-iv".equals(parts.get("tag"))) {
        body = join(Arrays.copyOfRange(body, 16, body.length), Arrays.copyOf(body, 16));
      }
      byte[] text = apply(Cipher.DECRYPT_MODE, key, header, body);
      if (!"zero".equals(parts.get("padding"))) return text;
      int end = text.length;
      while (end > 0 && text[end - 1] == 0) end--;
      return Arrays.copyOf(text, end);
    }

    private static byte[] join(byte[] left, byte[] right) {
      byte[] both = Arrays.copyOf(left, left.length + right.length);
      System.arraycopy(right, 0, both, left.length, right.length);
      return both;
    }
  }
}
