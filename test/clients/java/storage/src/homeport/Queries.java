package homeport;

import cn.leancloud.LCCloudQuery;
import cn.leancloud.LCException;
import cn.leancloud.LCObject;
import cn.leancloud.LCQuery;
import cn.leancloud.query.LCCloudQueryResult;
import cn.leancloud.types.LCGeoPoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Queries of every kind, over five cities and their countries. */
final class Queries {
  private Queries() {}

  private static final String[] NAMES = {"Beijing", "Berlin", "Bremen", "Paris", "Shanghai"};
  private static final double[][] PLACES = {{39.9, 116.4}, {52.5, 13.4}, {53.1, 8.8}, {48.9, 2.35}, {31.2, 121.5}};
  private static final int[] MILLIONS = {22, 4, 1, 2, 25};
  private static final String[] COUNTRIES = {"China", "Germany", "Germany", "France", "China"};

  private static LCQuery<LCObject> cities() {
    return new LCQuery<>("City");
  }

  /** Names of the cities that are found, in the order of the alphabet where the query has none. */
  private static String found(LCQuery<LCObject> query) {
    if (query.getOrder() == null || query.getOrder().isEmpty()) {
      query.orderByAscending("name");
    }
    return names(query.find());
  }

  private static String names(List<? extends LCObject> objects) {
    List<String> names = new ArrayList<>();
    for (LCObject object : objects) {
      names.add(object.getString("name"));
    }
    return String.join(" ", names);
  }

  private static void saveCities() throws LCException {
    List<LCObject> cities = new ArrayList<>();
    LCObject china = SavedObjects.saved("Country", "name", "China");
    LCObject germany = SavedObjects.saved("Country", "name", "Germany");
    LCObject france = SavedObjects.saved("Country", "name", "France");
    for (int i = 0; i < NAMES.length; i++) {
      LCObject city = new LCObject("City");
      city.put("name", NAMES[i]);
      city.put("millions", MILLIONS[i]);
      city.put("place", new LCGeoPoint(PLACES[i][0], PLACES[i][1]));
      city.put("letters", Arrays.asList(NAMES[i].toLowerCase().split("")));
      city.put("country", COUNTRIES[i].equals("China") ? china : COUNTRIES[i].equals("France") ? france : germany);
      city.put("countryName", COUNTRIES[i]);
      if (i < 2) {
        city.put("capital", true);
      }
      cities.add(city);
    }
    LCObject.saveAll(cities);
  }

  static void add(Cases cases) {
    cases.add("conditions on numbers and texts find their objects", () -> {
      saveCities();
      Check.equal("Berlin", found(cities().whereEqualTo("name", "Berlin")));
      Check.equal("Beijing Bremen Paris Shanghai", found(cities().whereNotEqualTo("name", "Berlin")));
      Check.equal("Beijing Berlin", found(cities().whereGreaterThan("millions", 2).whereLessThanOrEqualTo("millions", 22)));
      Check.equal("Bremen Paris", found(cities().whereLessThan("millions", 4)));
      Check.equal("Berlin Paris", found(cities().whereContainedIn("name", Arrays.asList("Paris", "Berlin", "Rome"))));
      Check.equal("Beijing Bremen Shanghai", found(cities().whereNotContainedIn("name", Arrays.asList("Paris", "Berlin"))));
      Check.equal("Beijing Berlin", found(cities().whereExists("capital")));
      Check.equal("Bremen Paris Shanghai", found(cities().whereDoesNotExist("capital")));
    });

    cases.add("conditions on parts of texts find their objects", () -> {
      Check.equal("Beijing Berlin Bremen", found(cities().whereStartsWith("name", "B")));
      Check.equal("Berlin", found(cities().whereEndsWith("name", "lin")));
      Check.equal("Beijing Shanghai", found(cities().whereContains("name", "i").whereMatches("name", "(ING|hai)$", "i")));
      Check.equal("Bremen", found(cities().whereMatches("name", "^Br.*n$")));
    });

    cases.add("conditions on arrays find their objects", () -> {
      Check.equal("Beijing Berlin", found(cities().whereContainsAll("letters", Arrays.asList("b", "i"))));
      Check.equal("Paris", found(cities().whereSizeEqual("letters", 5)));
      Check.equal("Paris", found(cities().whereEqualTo("letters", "p")));
    });

    cases.add("conditions on places find their objects, the nearest first", () -> {
      LCGeoPoint hamburg = new LCGeoPoint(53.55, 10);
      Check.equal("Bremen Berlin Paris Beijing Shanghai", names(cities().whereNear("place", hamburg).find()));
      Check.equal("Bremen Berlin", names(cities().whereWithinKilometers("place", hamburg, 300).find()));
      Check.equal("Bremen", names(cities().whereWithinMiles("place", hamburg, 100).find()));
      Check.equal("Bremen Berlin Paris", names(cities().whereWithinRadians("place", hamburg, 0.3).find()));
      Check.equal("Berlin Bremen Paris",
          found(cities().whereWithinGeoBox("place", new LCGeoPoint(40, 0), new LCGeoPoint(60, 20))));
    });

    cases.add("queries in queries find their objects", () -> {
      LCQuery<LCObject> germany = new LCQuery<>("Country").whereEqualTo("name", "Germany");
      Check.equal("Berlin Bremen", found(cities().whereMatchesQuery("country", germany)));
      Check.equal("Beijing Paris Shanghai", found(cities().whereDoesNotMatchQuery("country", germany)));
      Check.equal("Berlin Bremen", found(cities().whereMatchesKeyInQuery("countryName", "name", germany)));
      Check.equal("Beijing Paris Shanghai", found(cities().whereDoesNotMatchKeyInQuery("countryName", "name", germany)));
    });

    cases.add("several queries are joined by or and by and", () -> {
      LCQuery<LCObject> small = cities().whereLessThan("millions", 3);
      LCQuery<LCObject> onP = cities().whereStartsWith("name", "P");
      Check.equal("Bremen Paris", found(LCQuery.or(Arrays.asList(small, onP))));
      Check.equal("Paris", found(LCQuery.and(Arrays.asList(small, onP))));
    });

    cases.add("order, skip, limit and count", () -> {
      Check.equal("Shanghai Beijing Berlin", names(cities().orderByDescending("millions").limit(3).find()));
      Check.equal("Paris Bremen", names(cities().orderByDescending("millions").skip(3).find()));
      Check.equal("Berlin Bremen Paris Beijing Shanghai",
          names(cities().addDescendingOrder("countryName").addAscendingOrder("name").find()));
      Check.equal(5, cities().count());
      Check.equal(2, cities().whereGreaterThan("millions", 20).limit(1).count());
      Check.equal("Berlin", cities().whereStartsWith("name", "Be").orderByDescending("name").getFirst().getString("name"));
      Check.equal(null, cities().whereEqualTo("name", "Rome").getFirst());
    });

    cases.add("chosen keys come alone, included pointers come whole", () -> {
      LCObject berlin = cities().whereEqualTo("name", "Berlin").selectKeys(Arrays.asList("name", "millions")).getFirst();
      Check.equal(4, berlin.getInt("millions"));
      Check.equal(false, berlin.has("letters"));
      LCObject whole = cities().whereEqualTo("name", "Berlin").include("country").getFirst();
      Check.equal("Germany", whole.getLCObject("country").getString("name"));
      Check.equal("Germany", cities().include("country").get(berlin.getObjectId()).getLCObject("country").getString("name"));
      LCObject bare = LCObject.createWithoutData("City", berlin.getObjectId());
      Check.equal("Germany", bare.fetch("country").getLCObject("country").getString("name"));
    });

    cases.add("a pointer is fetched when it is needed", () -> {
      LCObject country = cities().whereEqualTo("name", "Paris").getFirst().getLCObject("country");
      Check.equal("France", country.fetchIfNeeded().getString("name"));
    });

    cases.add("CQL finds, counts, and takes values for its placeholders", () -> {
      LCCloudQueryResult big = LCCloudQuery.executeInBackground(
          "select * from City where millions > 3 order by millions").blockingFirst();
      Check.equal("Berlin Beijing Shanghai", names(big.getResults()));
      Object[] values = {"Berlin", 4};
      LCCloudQueryResult berlin = LCCloudQuery.executeInBackground(
          "select name from City where name = ? and millions >= ?", values).blockingFirst();
      Check.equal("Berlin", names(berlin.getResults()));
      LCCloudQueryResult count = LCCloudQuery.executeInBackground("select count(*) from City").blockingFirst();
      Check.equal(5, count.getCount());
    });

    cases.add("CQL that cannot be read is refused with 300", () -> {
      Check.equal(300, Check.thrown(LCException.class,
          () -> LCCloudQuery.executeInBackground("select from").blockingFirst()).getCode());
    });

    cases.add("a condition that is none is refused with 102", () -> {
      LCQuery<LCObject> broken = cities().whereMatches("name", "(");
      Check.equal(102, Check.thrown(LCException.class, broken::find).getCode());
    });

    cases.add("what a query finds is deleted", () -> {
      cities().whereLessThan("millions", 10).deleteAll();
      Check.equal("Beijing Shanghai", found(cities()));
    });
  }
}
