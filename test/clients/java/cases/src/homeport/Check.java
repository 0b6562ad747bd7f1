package homeport;

import java.util.Objects;
import java.util.function.BooleanSupplier;

/** What a case expects: each of these throws when it is not so. */
public final class Check {
  private static final long PATIENCE = 30_000;

  private Check() {}

  /** Numbers are compared as numbers: the client parses them into different types. */
  public static void equal(Object expected, Object actual) {
    boolean numbers = expected instanceof Number && actual instanceof Number;
    if (numbers ? !sameNumber((Number) expected, (Number) actual) : !Objects.equals(expected, actual)) {
      throw new AssertionError("expected " + shown(expected) + ", got " + shown(actual));
    }
  }

  public static void that(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }

  /** Waits until it is so. */
  public static void soon(String what, BooleanSupplier condition) throws InterruptedException {
    long end = System.currentTimeMillis() + PATIENCE;
    while (!condition.getAsBoolean()) {
      if (System.currentTimeMillis() > end) {
        throw new AssertionError("in " + PATIENCE + " ms it did not come: " + what);
      }
      Thread.sleep(10);
    }
  }

  /** @return what the body throws, which has to be of this type, or be caused by one */
  public static <T extends Throwable> T thrown(Class<T> type, Cases.Body body) {
    try {
      body.run();
    } catch (Throwable failure) {
      for (Throwable each = failure; each != null; each = each.getCause()) {
        if (type.isInstance(each)) {
          return type.cast(each);
        }
      }
      throw new AssertionError("expected a " + type.getSimpleName(), failure);
    }
    throw new AssertionError("expected a " + type.getSimpleName() + ", nothing was thrown");
  }

  private static boolean sameNumber(Number one, Number other) {
    return Math.abs(one.doubleValue() - other.doubleValue()) < 1e-9;
  }

  private static String shown(Object value) {
    return value == null ? "null" : value + " (" + value.getClass().getSimpleName() + ")";
  }
}
