package homeport;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What is tried with the client, case after case: it keeps its user, its keys and its connection for the whole process.
 * Of each case a file gets lines of this form: "planned", "passed" or "failed", a tab, the name, and after a failure a
 * tab and what happened. A planned case without a result is one that the program did not come to.
 */
public final class Cases {
  /** Longer than anything takes that the client waits for. */
  private static final int SECONDS_A_CASE = 120;

  /** What is tried in a case: it fails by throwing. */
  public interface Body {
    void run() throws Throwable;
  }

  private final Map<String, Body> bodies = new LinkedHashMap<>();
  private final Body before;
  private final PrintWriter results;

  /**
   * @param file where the results go
   * @param before brings the client into the state that each case begins with
   */
  public Cases(String file, Body before) throws IOException {
    Path path = Paths.get(file);
    this.results = new PrintWriter(Files.newBufferedWriter(path, StandardCharsets.UTF_8), true);
    this.before = before;
  }

  public void add(String name, Body body) {
    if (bodies.put(name, body) != null) {
      throw new IllegalArgumentException("Two cases are called: " + name);
    }
  }

  /** Runs all cases, and ends the process: threads of the client would keep it alive. */
  public void run() {
    for (String name : bodies.keySet()) {
      results.println("planned\t" + name);
    }
    ExecutorService thread = Executors.newSingleThreadExecutor();
    for (Map.Entry<String, Body> entry : bodies.entrySet()) {
      Future<?> end = thread.submit(() -> {
        try {
          before.run();
          entry.getValue().run();
        } catch (RuntimeException | Error failure) {
          throw failure;
        } catch (Throwable failure) {
          throw new RuntimeException(failure);
        }
      });
      try {
        end.get(SECONDS_A_CASE, TimeUnit.SECONDS);
        results.println("passed\t" + entry.getKey());
      } catch (ExecutionException failure) {
        results.println("failed\t" + entry.getKey() + "\t" + told(failure.getCause()));
      } catch (TimeoutException | InterruptedException failure) {
        // Its thread may wait for ever: the cases behind it are not run.
        results.println("failed\t" + entry.getKey() + "\tIt did not end within " + SECONDS_A_CASE + " seconds.");
        break;
      }
    }
    results.close();
    System.exit(0);
  }

  /** What was thrown, by what, and which lines of the cases it went through. */
  private static String told(Throwable failure) {
    StringBuilder text = new StringBuilder();
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each.getClass() != RuntimeException.class) {
        text.append(each).append(' ');
      }
      for (StackTraceElement line : each.getStackTrace()) {
        if (line.getClassName().startsWith("homeport.") && !line.getClassName().startsWith("homeport.Ca")) {
          text.append('(').append(line.getFileName()).append(':').append(line.getLineNumber()).append(") ");
        }
      }
    }
    return text.toString().replaceAll("\\s+", " ").trim();
  }
}
