import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Scanner;
import javax.crypto.Cipher;

/**
 * Reads lines "COMMAND KEY TEXT", answers one line each: "wrap" encrypts TEXT with the public key,
 * "unwrap" decrypts TEXT with the private key, "read" says whether the public key can be read.
 */
class RsaKeys {
    public static void main(String[] args) {
        Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8);
        while (lines.hasNextLine()) {
            String[] parts = lines.nextLine().split(" ");
            try {
                System.out.println(respond(parts));
            } catch (Exception e) {
                System.out.println("failed " + e.getClass().getSimpleName());
            }
        }
    }

    static String respond(String[] parts) throws Exception {
        byte[] key = Base64.getDecoder().decode(parts[1]);
        Cipher cipher = Cipher.getInstance("RSA/ECB/PKCS1Padding");
        switch (parts[0]) {
            case "wrap":
                cipher.init(Cipher.ENCRYPT_MODE, publicKey(key));
                byte[] wrapped = cipher.doFinal(parts[2].getBytes(StandardCharsets.UTF_8));
                return Base64.getEncoder().encodeToString(wrapped);
            case "unwrap":
                PrivateKey secret = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(key));
                cipher.init(Cipher.DECRYPT_MODE, secret);
                byte[] plain = cipher.doFinal(Base64.getDecoder().decode(parts[2]));
                return new String(plain, StandardCharsets.UTF_8);
            default:
                publicKey(key);
                return "read";
        }
    }

    static PublicKey publicKey(byte[] spki) throws Exception {
        return KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(spki));
    }
}
