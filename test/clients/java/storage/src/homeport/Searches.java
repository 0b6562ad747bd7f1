package homeport;

import cn.leancloud.LCException;
import cn.leancloud.LCObject;
import cn.leancloud.search.LCSearchQuery;
import cn.leancloud.search.LCSearchSortBuilder;
import cn.leancloud.types.LCGeoPoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Full-text search. The fields of the class `Shop` are switched on before. */
final class Searches {
  private Searches() {}

  private static LCSearchQuery<LCObject> shops(String q) {
    LCSearchQuery<LCObject> query = new LCSearchQuery<>(q);
    query.setClassName("Shop");
    return query;
  }

  private static List<LCObject> found(LCSearchQuery<LCObject> query) {
    return query.findInBackground().blockingFirst();
  }

  private static String names(List<LCObject> objects) {
    List<String> names = new ArrayList<>();
    for (LCObject object : objects) {
      names.add(object.getString("name"));
    }
    return String.join(" ", names);
  }

  private static void save(String name, String text, int score, double latitude, double longitude) throws LCException {
    LCObject shop = new LCObject("Shop");
    shop.put("name", name);
    shop.put("text", text);
    shop.put("score", score);
    shop.put("place", new LCGeoPoint(latitude, longitude));
    shop.save();
  }

  static void add(Cases cases) {
    cases.add("a search finds words in Chinese and English, and marks them", () -> {
      save("Noodles", "北京大学东门的面馆", 9, 39.99, 116.31);
      save("Dumplings", "dumplings and noodles", 7, 31.2, 121.5);
      save("Books", "new books and old books", 8, 39.91, 116.4);
      Check.soon("the shops", () -> found(shops("*")).size() == 3);
      LCSearchQuery<LCObject> query = shops("text:北京大学");
      List<LCObject> objects = found(query);
      Check.equal("Noodles", names(objects));
      Check.equal(1, query.getHits());
      Check.equal("Shop", objects.get(0).getClassName());
      Map<?, ?> marked = (Map<?, ?>) objects.get(0).get(LCSearchQuery.AVSEARCH_HIGHTLIGHT);
      Check.equal("[<em>北京</em><em>大学</em>东门的面馆]", String.valueOf(marked.get("text")));
    });

    cases.add("results of a search are ordered by fields and by distance", () -> {
      LCSearchQuery<LCObject> byScore = shops("*");
      byScore.orderByDescending("score");
      Check.equal("Noodles Books Dumplings", names(found(byScore)));
      LCSearchQuery<LCObject> sorted = shops("*");
      sorted.setSortBuilder(LCSearchSortBuilder.newBuilder().orderByAscending("score", "max", "first"));
      Check.equal("Dumplings Books Noodles", names(found(sorted)));
      LCSearchQuery<LCObject> near = shops("*");
      near.setSortBuilder(LCSearchSortBuilder.newBuilder().whereNear("place", new LCGeoPoint(31, 121)));
      Check.equal("Dumplings", names(found(near)).split(" ")[0]);
    });

    cases.add("a search goes on to its end, and shows the fields that are asked for", () -> {
      LCSearchQuery<LCObject> query = shops("*");
      query.setLimit(2);
      query.setFields(Arrays.asList("name"));
      query.order("name");
      List<LCObject> all = new ArrayList<>();
      for (List<LCObject> page = found(query); !page.isEmpty(); page = found(query)) {
        all.addAll(page);
      }
      Check.equal("Books Dumplings Noodles", names(all));
      Check.equal(false, all.get(0).has("score"));
    });
  }
}
