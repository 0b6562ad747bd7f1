package homeport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Scanner;

/** Requests with the master key, for what is done by a server and not by a client. */
final class Rest {
  private Rest() {}

  static String post(String path, String body) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) new URL(Server.URL + path).openConnection();
    connection.setRequestMethod("POST");
    connection.setRequestProperty("X-LC-Id", Server.APP_ID);
    connection.setRequestProperty("X-LC-Key", Server.MASTER_KEY + ",master");
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    try (OutputStream stream = connection.getOutputStream()) {
      stream.write(body.getBytes(StandardCharsets.UTF_8));
    }
    boolean well = connection.getResponseCode() < 300;
    try (InputStream stream = well ? connection.getInputStream() : connection.getErrorStream();
        Scanner scanner = new Scanner(stream, "UTF-8").useDelimiter("\\A")) {
      String answer = scanner.hasNext() ? scanner.next() : "";
      Check.that(well, path + " answered " + connection.getResponseCode() + ": " + answer);
      return answer;
    }
  }
}
