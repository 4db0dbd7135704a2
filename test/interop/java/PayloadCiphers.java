import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Reads lines of TRANSFORMATION, BITS (0: the key's characters, else SHA1PRNG makes a key of so many
 * bits), KEY, IV bytes and PAYLOAD, decrypts, encrypts anew with a random IV before the ciphertext,
 * and writes the plaintext and the new payload, both in Base64.
 */
public final class PayloadCiphers {
  public static void main(String[] args) throws Exception {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(respond(line.split(" ")));
    }
  }

  private static String respond(String[] fields) throws GeneralSecurityException {
    String transformation = fields[0];
    int bits = Integer.parseInt(fields[1]);
    int ivBytes = Integer.parseInt(fields[3]);
    Key key = key(transformation.split("/")[0], bits, fields[2]);
    byte[] payload = Base64.getDecoder().decode(fields[4]);

    Cipher cipher = Cipher.getInstance(transformation);
    byte[] iv = Arrays.copyOf(payload, ivBytes);
    cipher.init(Cipher.DECRYPT_MODE, key, parameters(transformation, iv));
    byte[] text = cipher.doFinal(payload, ivBytes, payload.length - ivBytes);

    new SecureRandom().nextBytes(iv);
    cipher.init(Cipher.ENCRYPT_MODE, key, parameters(transformation, iv));
    byte[] sealed = cipher.doFinal(text);
    byte[] anew = Arrays.copyOf(iv, ivBytes + sealed.length);
    System.arraycopy(sealed, 0, anew, ivBytes, sealed.length);
    Base64.Encoder encoder = Base64.getEncoder();
    return encoder.encodeToString(text) + " " + encoder.encodeToString(anew);
  }

  private static Key key(String algorithm, int bits, String text) throws GeneralSecurityException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bits == 0) {
      return new SecretKeySpec(bytes, 0, algorithm.equals("DESede") ? 24 : 32, algorithm);
    }
    SecureRandom random = SecureRandom.getInstance("SHA1PRNG");
    random.setSeed(bytes);
    KeyGenerator generator = KeyGenerator.getInstance(algorithm);
    generator.init(bits, random);
    return generator.generateKey();
  }

  private static AlgorithmParameterSpec parameters(String transformation, byte[] iv) {
    if (iv.length == 0) {
      return null;
    }
    return transformation.contains("GCM")
        ? new GCMParameterSpec(128, iv)
        : new IvParameterSpec(iv);
  }
}
