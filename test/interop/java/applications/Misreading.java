import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A callback endpoint that decrypts in the way named by its argument, and reports the exception. */
public class Misreading {
  static final Map<String, String> keys = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/callback", exchange -> {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String response;
      try {
        response = "{\"code\":\"0000\",\"message\":\"\"" + handle(args[0], body) + "}";
      } catch (Exception e) {
        response = "{\"code\":\"9999\",\"message\":\"" + e.toString().replace("\"", "'") + "\"}";
      }
      byte[] bytes = response.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    });
    server.start();
    System.out.println(server.getAddress().getPort());
  }

  static String field(String body, String name) {
    Matcher m = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(body);
    return m.find() ? m.group(1) : null;
  }

  static String handle(String reading, String body) throws Exception {
    String user = field(body, "ptn_cd");
    if (field(body, "used_type").equals("1")) {
      byte[] random = new byte[16];
      new SecureRandom().nextBytes(random);
      keys.put(user, HexFormat.of().withUpperCase().formatHex(random));
      Cipher rsa = Cipher.getInstance("RSA/ECB/PKCS1Padding");
      byte[] spki = Base64.getDecoder().decode(field(body, "public_key"));
      rsa.init(Cipher.ENCRYPT_MODE, KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(spki)));
      String wrapped = Base64.getEncoder().encodeToString(rsa.doFinal(keys.get(user).getBytes(StandardCharsets.UTF_8)));
      return ",\"result\":{\"enc_partner_key\":\"" + wrapped + "\"}";
    }
    for (String name : new String[] {"partner_sp", "ubifill"}) {
      if (field(body, name) == null) continue;
      byte[] plain = decrypt(reading, keys.get(user), Base64.getDecoder().decode(field(body, name)));
      StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(plain));
    }
    return "";
  }

  static byte[] decrypt(String reading, String key, byte[] raw) throws Exception {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return switch (reading) {
      case "ecb" -> run("AES/ECB/PKCS5Padding", bytes, null, raw, 0);
      case "zero-iv" -> run("AES/CBC/PKCS5Padding", bytes, new IvParameterSpec(new byte[16]), raw, 0);
      case "gcm" -> run("AES/GCM/NoPadding", bytes, new GCMParameterSpec(128, raw, 0, 12), raw, 12);
      case "key-128" -> run("AES/CBC/PKCS5Padding", Arrays.copyOf(bytes, 16), new IvParameterSpec(raw, 0, 16), raw, 16);
      case "lower-key" -> run("AES/CBC/PKCS5Padding", key.toLowerCase().getBytes(StandardCharsets.UTF_8), new IvParameterSpec(raw, 0, 16), raw, 16);
      case "unchecked-padding" -> asText(cutByLastByte(run("AES/CBC/NoPadding", bytes, new IvParameterSpec(raw, 0, 16), raw, 16)));
      case "iv-kept" -> asText(run("AES/CBC/PKCS5Padding", bytes, new IvParameterSpec(new byte[16]), raw, 0));
      default -> run("AES/CBC/PKCS5Padding", HexFormat.of().parseHex(key), new IvParameterSpec(raw, 0, 16), raw, 16);
    };
  }

  /** Wrong padding may leave nothing. */
  static byte[] cutByLastByte(byte[] plain) {
    return Arrays.copyOf(plain, Math.max(0, plain.length - (plain[plain.length - 1] & 255)));
  }

  /** Noise becomes replacement characters. */
  static byte[] asText(byte[] plain) {
    return new String(plain, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
  }

  static byte[] run(String name, byte[] key, AlgorithmParameterSpec iv, byte[] raw, int from) throws Exception {
    Cipher cipher = Cipher.getInstance(name);
    cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), iv);
    return cipher.doFinal(raw, from, raw.length - from);
  }
}
