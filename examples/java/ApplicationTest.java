import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the application with JUnit 5. authcli plays the service: it is started here, and ended. */
class ApplicationTest {
    static final List<String> AUTHCLI = List.of(System.getenv().getOrDefault("AUTHCLI", "authcli").split(" "));
    static final HttpClient client = HttpClient.newHttpClient();
    static final Gson gson = new Gson();
    static final List<Process> processes = new ArrayList<>();

    /** Settings and users of authcli that are only of these tests. */
    @TempDir
    static Path folder;

    static String service;
    static String application;

    @BeforeAll
    static void startBoth() throws Exception {
        service = start(with(AUTHCLI, "emulate", "service", "--json"), Map.of());
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = List.of(java, "-cp", System.getProperty("java.class.path"), "Application");
        application = start(command, Map.of("AUTH_URL", service, "PORT", "0"));
    }

    @AfterAll
    static void endBoth() throws InterruptedException {
        for (Process process : processes) {
            process.destroy();
            process.waitFor();
        }
    }

    @Test
    void callbacksConform() throws Exception {
        Process verify = process(with(AUTHCLI, "verify", "--url", application + "/callback")).start();
        String printed = new String(verify.getInputStream().readAllBytes());
        assertEquals(0, verify.waitFor(), printed);
    }

    @Test
    void signsInWithOneCallToEachEndpoint() throws Exception {
        signUp("alice");
        HttpResponse<String> response = signIn("alice");
        assertEquals(200, response.statusCode());
        assertEquals("alice", json(response).get("ptn_cd").getAsString());
        assertEquals(List.of("token 0000", "authenticate 0000"), calls("alice"));
    }

    @Test
    void refusesAnotherPasscode() throws Exception {
        signUp("bob");
        post(service + "/_authcli/faults", Map.of("name", "wrong-passcode", "ptn_cd", "bob"));
        assertEquals(401, signIn("bob").statusCode());
    }

    void signUp(String ptnCd) throws Exception {
        var fields = Map.of("ptn_cd", ptnCd, "callback_url", application + "/callback");
        HttpResponse<String> response = post(service + "/_authcli/signup", fields);
        assertEquals(200, response.statusCode(), response.body());
    }

    /** Asks the application to sign the user in, with a token like one of the user's device. */
    HttpResponse<String> signIn(String ptnCd) throws Exception {
        JsonObject token = json(post(service + "/_authcli/ptn-token", Map.of("ptn_cd", ptnCd)));
        return post(application + "/sign-in", Map.of("ptn_token", token.get("ptn_token").getAsString()));
    }

    /** What the service received for the user, and the codes that it responded with. */
    List<String> calls(String ptnCd) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(service + "/_authcli/journal?ptn_cd=" + ptnCd)).build();
        List<String> calls = new ArrayList<>();
        for (var entry : json(client.send(request, BodyHandlers.ofString())).getAsJsonArray("entries")) {
            JsonObject call = entry.getAsJsonObject();
            calls.add(call.get("operation").getAsString() + " " + call.get("code").getAsString());
        }
        return calls;
    }

    static HttpResponse<String> post(String url, Map<String, String> fields) throws Exception {
        var body = BodyPublishers.ofString(gson.toJson(fields));
        var request = HttpRequest.newBuilder(URI.create(url)).header("Content-Type", "application/json").POST(body);
        return client.send(request.build(), BodyHandlers.ofString());
    }

    static JsonObject json(HttpResponse<String> response) {
        return gson.fromJson(response.body(), JsonObject.class);
    }

    /** Starts a command that prints its address when it listens; returns that address. */
    static String start(List<String> command, Map<String, String> environment) throws Exception {
        ProcessBuilder builder = process(command);
        builder.environment().putAll(environment);
        Process process = builder.start();
        processes.add(process);
        BufferedReader output = process.inputReader();
        String line = output.readLine();
        var address = Pattern.compile("http://[\\d.:]+").matcher(line == null ? "" : line);
        assertTrue(address.find(), command + " did not start: " + line);
        Thread reader = new Thread(() -> output.lines().forEach(more -> {})); // so that it can print more
        reader.setDaemon(true);
        reader.start();
        return address.group();
    }

    static ProcessBuilder process(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
        builder.environment().put("AUTHCLI_CONFIG", folder.resolve("config.json").toString());
        return builder;
    }

    static List<String> with(List<String> command, String... arguments) {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(arguments));
        return all;
    }
}
