import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Makes the mistakes of an application for real: prints "situation, tab, exception" for each. */
public class ErrorTexts {
  interface Mistake { void run() throws Throwable; }

  static void of(String situation, Mistake mistake) {
    try {
      mistake.run();
      System.out.println(situation + "\tNOTHING");
    } catch (Throwable e) {
      System.out.println(situation + "\t" + e.toString().replace("\n", "\\n"));
    }
  }

  static byte[] decrypt(String cipher, byte[] key, byte[] iv, byte[] data) throws Exception {
    Cipher c = Cipher.getInstance(cipher);
    SecretKeySpec spec = new SecretKeySpec(key, "AES");
    if (iv == null) c.init(Cipher.DECRYPT_MODE, spec);
    else c.init(Cipher.DECRYPT_MODE, spec, cipher.contains("GCM") ? new GCMParameterSpec(128, iv) : new IvParameterSpec(iv));
    return c.doFinal(data);
  }

  record User(String key) {}

  public static void main(String[] args) throws Exception {
    byte[] key = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
    byte[] iv = new byte[16];
    byte[] block = new byte[32];
    of("padding-refused", () -> decrypt("AES/CBC/PKCS5Padding", key, iv, block));
    of("block-length", () -> decrypt("AES/CBC/PKCS5Padding", key, iv, new byte[20]));
    of("tag-refused", () -> decrypt("AES/GCM/NoPadding", key, new byte[12], block));
    of("tag-missing", () -> decrypt("AES/GCM/NoPadding", key, new byte[12], new byte[8]));
    of("key-bytes", () -> decrypt("AES/CBC/PKCS5Padding", new byte[24 + 1], iv, block));
    of("value-missing", () -> new SecretKeySpec(new byte[0], "AES"));
    of("value-missing", () -> new SecretKeySpec(null, "AES"));
    of("iv-bytes", () -> decrypt("AES/CBC/PKCS5Padding", key, new byte[8], block));
    of("iv-missing", () -> decrypt("AES/CBC/PKCS5Padding", key, null, block));
    of("iv-unwanted", () -> decrypt("AES/ECB/PKCS5Padding", key, iv, block));
    of("cipher-name", () -> Cipher.getInstance("AES/CBC/PKCS7Padding"));
    of("cipher-name", () -> Cipher.getInstance("AES/CBC/PKCS5Padding", "BC"));
    of("not-base64-text", () -> Base64.getDecoder().decode("ab-_"));
    of("not-base64-text", () -> Base64.getDecoder().decode("abcde"));
    of("not-base64-text", () -> Base64.getDecoder().decode("abc="+"abcd"));
    of("not-hex-text", () -> HexFormat.of().parseHex("abz0"));
    of("not-hex-text", () -> Integer.parseInt("+Z", 16));
    of("not-text", () -> StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(new byte[] {(byte) 0xc3, 0x28})));
    of("value-missing", () -> { User u = (User) Map.of().get("x"); u.key().getBytes(); });
    of("user-unknown", () -> Optional.empty().orElseThrow());
    KeyPairGenerator g = KeyPairGenerator.getInstance("RSA"); g.initialize(2048);
    var pair = g.generateKeyPair();
    of("rsa-failed", () -> { Cipher c = Cipher.getInstance("RSA/ECB/PKCS1Padding"); c.init(Cipher.DECRYPT_MODE, pair.getPrivate()); c.doFinal(new byte[256]); });
    of("rsa-failed", () -> { Cipher c = Cipher.getInstance("RSA/ECB/PKCS1Padding"); c.init(Cipher.DECRYPT_MODE, pair.getPrivate()); c.doFinal(new byte[300]); });
    of("public-key-unreadable", () -> KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(new byte[40])));
    byte[] spki = pair.getPublic().getEncoded();
    byte[] pkcs1 = Arrays.copyOfRange(spki, 24, spki.length);
    of("public-key-unreadable", () -> KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(pkcs1)));
    of("text-for-bytes", () -> { Object o = new byte[2]; String s = (String) o; });
  }
}
