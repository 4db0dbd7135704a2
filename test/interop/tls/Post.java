import java.net.URI;
import java.net.http.*;

/** Sends a body to each URL; prints the status, or why there is none. */
class Post {
  public static void main(String[] urls) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (String url : urls) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url))
          .header("Content-Type", "application/json;charset=utf-8")
          .POST(HttpRequest.BodyPublishers.ofString("{}")).build();
      try {
        System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
      } catch (java.io.IOException refused) {
        System.out.println("refused");
      }
    }
  }
}
