package homeport;

/** The server and the app that java.test.ts has made, from the environment: a command line could be read by others. */
public final class Server {
  public static final String URL = given("HOMEPORT_TEST_URL");
  public static final String APP_ID = given("HOMEPORT_TEST_APP_ID");
  public static final String APP_KEY = given("HOMEPORT_TEST_APP_KEY");
  public static final String MASTER_KEY = given("HOMEPORT_TEST_MASTER_KEY");

  private Server() {}

  /** The id of an app whose clients are told one provider of files, and its key behind a colon. */
  public static String[] appWithFilesOf(String provider) {
    return given("HOMEPORT_TEST_APP_" + provider).split(":");
  }

  private static String given(String name) {
    String value = System.getenv(name);
    if (value == null || value.isEmpty()) {
      throw new IllegalStateException(name + " is not set: this program is started by java.test.ts.");
    }
    return value;
  }
}
