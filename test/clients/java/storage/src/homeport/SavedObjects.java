package homeport;

import cn.leancloud.LCCloud;
import cn.leancloud.LCException;
import cn.leancloud.LCFile;
import cn.leancloud.LCObject;
import cn.leancloud.LCQuery;
import cn.leancloud.LCRelation;
import cn.leancloud.LCSaveOption;
import cn.leancloud.core.LeanCloud;
import cn.leancloud.types.LCGeoPoint;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Objects: typed values, operations, graphs, files as records. */
final class SavedObjects {
  private SavedObjects() {}

  static LCObject saved(String className, String key, Object value) {
    LCObject object = new LCObject(className);
    object.put(key, value);
    object.save();
    return object;
  }

  /** The object as it is stored, in an instance that knows nothing else. */
  static LCObject stored(LCObject object) {
    return LCObject.createWithoutData(object.getClassName(), object.getObjectId()).fetch();
  }

  static void add(Cases cases) {
    cases.add("the server says its time", () -> {
      Date now = LeanCloud.getServerDateInBackground().blockingFirst().getDate();
      Check.that(Math.abs(now.getTime() - System.currentTimeMillis()) < 60_000, "it is " + now);
    });

    cases.add("every typed value comes back as it was saved", () -> {
      LCObject target = saved("Target", "name", "target");
      LCObject object = new LCObject("Typed");
      Date date = new Date(1_600_000_000_123L);
      Map<String, Object> map = new HashMap<>();
      map.put("inner", Arrays.asList(1, "two", Collections.singletonMap("three", 3)));
      object.put("text", "文字 \\ \" \u2028 😀");
      object.put("whole", 1L << 40);
      object.put("fraction", 0.25);
      object.put("yes", true);
      object.put("list", Arrays.asList("a", 1, false));
      object.put("map", map);
      object.put("date", date);
      object.put("bytes", new byte[] {0, 1, -1, 127});
      object.put("point", new LCGeoPoint(39.9, 116.4));
      object.put("target", target);
      object.save();

      LCObject found = stored(object);
      Check.equal("文字 \\ \" \u2028 😀", found.getString("text"));
      Check.equal(1L << 40, found.getLong("whole"));
      Check.equal(0.25, found.getDouble("fraction"));
      Check.equal(true, found.getBoolean("yes"));
      List<?> list = found.getList("list");
      Check.equal("a", list.get(0));
      Check.equal(1, list.get(1));
      Check.equal(false, list.get(2));
      List<?> inner = (List<?>) ((Map<?, ?>) found.get("map")).get("inner");
      Check.equal(3, ((Map<?, ?>) inner.get(2)).get("three"));
      Check.equal(date, found.getDate("date"));
      Check.that(Arrays.equals(new byte[] {0, 1, -1, 127}, found.getBytes("bytes")), "other bytes");
      Check.equal(39.9, found.getLCGeoPoint("point").getLatitude());
      Check.equal(116.4, found.getLCGeoPoint("point").getLongitude());
      Check.equal(target.getObjectId(), found.getLCObject("target").getObjectId());
      Check.equal("Target", found.getLCObject("target").getClassName());
      Check.equal(object.getCreatedAt(), found.getCreatedAt());
    });

    cases.add("an object is updated, one of its fields removed, and it is deleted", () -> {
      LCObject object = saved("Plain", "title", "one");
      object.put("title", "two");
      object.put("other", 1);
      object.save();
      object.remove("other");
      object.save();
      LCObject found = stored(object);
      Check.equal("two", found.getString("title"));
      Check.equal(false, found.has("other"));
      Check.equal(object.getUpdatedAt(), found.getUpdatedAt());
      object.delete();
      Check.equal(0, new LCQuery<>("Plain").whereEqualTo("objectId", object.getObjectId()).count());
    });

    cases.add("an object that does not exist has no data, and its class may not exist: 101", () -> {
      saved("Some", "a", 1);
      Check.equal(101, Check.thrown(LCException.class, () -> new LCQuery<>("Nowhere").get("000000000000000000000000")).getCode());
      Check.equal(false, LCObject.createWithoutData("Some", "000000000000000000000000").fetch().has("a"));
    });

    cases.add("counters, bits and arrays change on the server", () -> {
      LCObject object = new LCObject("Operations");
      object.put("count", 1);
      object.put("flags", 6);
      object.put("tags", Arrays.asList("a", "b"));
      object.save();
      LCObject blind = LCObject.createWithoutData("Operations", object.getObjectId());
      blind.increment("count", 5);
      blind.bitOr("flags", 1);
      blind.addAll("tags", Arrays.asList("b", "c"));
      blind.save();
      blind = LCObject.createWithoutData("Operations", object.getObjectId());
      blind.decrement("count");
      blind.bitAnd("flags", 5);
      blind.addUnique("tags", "c");
      blind.addAllUnique("tags", Arrays.asList("c", "d"));
      blind.save();
      blind = LCObject.createWithoutData("Operations", object.getObjectId());
      blind.bitXor("flags", 3);
      blind.removeAll("tags", Collections.singletonList("b"));
      blind.save();
      LCObject found = stored(object);
      Check.equal(5, found.getInt("count"));
      Check.equal(6, found.getInt("flags"));
      Check.equal(Arrays.asList("a", "c", "d"), found.getList("tags"));
    });

    cases.add("operations on a new object apply to nothing", () -> {
      LCObject object = new LCObject("Operations");
      object.increment("count", 3);
      object.add("tags", "a");
      object.addUnique("more", "b");
      object.save();
      LCObject found = stored(object);
      Check.equal(3, found.getInt("count"));
      Check.equal(Collections.singletonList("a"), found.getList("tags"));
      Check.equal(Collections.singletonList("b"), found.getList("more"));
    });

    cases.add("several operations on one field go through batch/save", () -> {
      LCObject object = new LCObject("Operations");
      object.put("tags", Arrays.asList("a", "b"));
      object.put("title", "before");
      object.save();
      LCObject blind = LCObject.createWithoutData("Operations", object.getObjectId());
      blind.add("tags", "c");
      blind.removeAll("tags", Collections.singletonList("a"));
      blind.put("title", "after");
      blind.save();
      LCObject found = stored(object);
      Check.equal(Arrays.asList("b", "c"), found.getList("tags"));
      Check.equal("after", found.getString("title"));
      Check.equal(false, found.has("__internalId"));
    });

    cases.add("with fetchWhenSave the answer has what the server counted", () -> {
      LCObject object = saved("Fetched", "count", 1);
      LCObject other = LCObject.createWithoutData("Fetched", object.getObjectId());
      other.increment("count", 10);
      other.save();
      object.setFetchWhenSave(true);
      object.increment("count");
      object.save();
      Check.equal(12, object.getInt("count"));
      LCObject made = new LCObject("Fetched");
      made.setFetchWhenSave(true);
      made.put("count", 7);
      made.save();
      Check.equal(7, made.getInt("count"));
      Check.that(made.getUpdatedAt() != null, "no updatedAt");
    });

    cases.add("a save on a condition that does not hold is refused with 305", () -> {
      LCObject account = saved("Balance", "amount", 10);
      account.increment("amount", -8);
      LCSaveOption enough = new LCSaveOption()
          .query(new LCQuery<>("Balance").whereGreaterThanOrEqualTo("amount", 8))
          .setFetchWhenSave(true);
      account.saveInBackground(enough).blockingFirst();
      Check.equal(2, account.getInt("amount"));
      account.increment("amount", -8);
      Check.equal(305, Check.thrown(LCException.class, () -> account.saveInBackground(enough).blockingFirst()).getCode());
      Check.equal(2, stored(account).getInt("amount"));
    });

    cases.add("a graph of new objects is saved with its root", () -> {
      LCObject grandchild = new LCObject("Node");
      grandchild.put("name", "grandchild");
      LCObject child = new LCObject("Node");
      child.put("name", "child");
      child.put("child", grandchild);
      LCObject second = new LCObject("Node");
      second.put("name", "second");
      LCObject root = new LCObject("Node");
      root.put("name", "root");
      root.put("child", child);
      root.put("children", Arrays.asList(child, second));
      root.save();
      LCObject found = new LCQuery<>("Node").include("child.child").include("children").get(root.getObjectId());
      Check.equal("grandchild", found.getLCObject("child").getLCObject("child").getString("name"));
      List<?> children = found.getList("children");
      Check.equal("second", ((LCObject) children.get(1)).getString("name"));
    });

    cases.add("many objects are saved and deleted in one batch", () -> {
      LCObject[] objects = new LCObject[20];
      for (int i = 0; i < objects.length; i++) {
        objects[i] = new LCObject("Many");
        objects[i].put("number", i);
      }
      LCObject.saveAll(Arrays.asList(objects));
      for (LCObject object : objects) {
        Check.that(object.getObjectId() != null && !object.getObjectId().isEmpty(), "one has no id");
        object.increment("number", 100);
      }
      LCObject.saveAll(Arrays.asList(objects));
      Check.equal(20, new LCQuery<>("Many").whereGreaterThanOrEqualTo("number", 100).count());
      LCObject.deleteAll(Arrays.asList(objects).subList(0, 15));
      Check.equal(5, new LCQuery<>("Many").count());
    });

    cases.add("a relation gets and loses members, and is asked from both sides", () -> {
      LCObject one = saved("Member", "name", "one");
      LCObject two = saved("Member", "name", "two");
      LCObject three = saved("Member", "name", "three");
      LCObject club = new LCObject("Club");
      club.put("name", "club");
      LCRelation<LCObject> members = club.getRelation("members");
      members.addAll(Arrays.asList(one, two));
      club.save();
      Check.equal(2, stored(club).getRelation("members").getQuery().count());
      LCRelation<LCObject> again = club.getRelation("members");
      again.add(three);
      again.remove(one);
      club.save();
      LCObject found = stored(club);
      List<LCObject> names = found.getRelation("members").getQuery().orderByAscending("name").find();
      Check.equal(2, names.size());
      Check.equal("three", names.get(0).getString("name"));
      Check.equal("two", names.get(1).getString("name"));
      LCQuery<LCObject> reverse = LCRelation.reverseQuery("Club", "members", two);
      Check.equal(club.getObjectId(), reverse.getFirst().getObjectId());
    });

    cases.add("a file that lies elsewhere is a record, attached to an object and deleted", () -> {
      LCFile file = new LCFile("a.png", "https://example.org/a.png", Collections.singletonMap("width", (Object) 3));
      file.save();
      Check.equal("https://example.org/a.png", file.getUrl());
      Check.equal("a.png", file.getName());
      LCObject post = saved("Post", "picture", file);
      LCFile found = new LCQuery<>("Post").include("picture").get(post.getObjectId()).getLCFile("picture");
      Check.equal(file.getObjectId(), found.getObjectId());
      Check.equal("https://example.org/a.png", found.getUrl());
      LCFile fetched = LCFile.withObjectIdInBackground(file.getObjectId()).blockingFirst();
      Check.equal("a.png", fetched.getName());
      Check.equal("image/png", fetched.getMimeType());
      Check.equal(3, fetched.getMetaData("width"));
      LeanCloud.setMasterKey(Server.MASTER_KEY);
      fetched.delete();
      Check.equal(0, new LCQuery<>("_File").whereEqualTo("objectId", file.getObjectId()).count());
    });

    cases.add("what the server refuses of an object has its code and text", () -> {
      LCObject object = new LCObject("Typed");
      object.put("whole", "no number");
      LCException refused = Check.thrown(LCException.class, object::save);
      Check.equal(111, refused.getCode());
      Check.that(refused.getMessage().contains("whole"), refused.getMessage());
    });

    cases.add("a cloud function that is not there is an error with code and text, an RPC as well", () -> {
      Map<String, Object> parameters = Collections.singletonMap("n", (Object) 1);
      LCException call = Check.thrown(LCException.class,
          () -> LCCloud.callFunctionInBackground("nowhere", parameters).blockingFirst());
      Check.equal(503, call.getCode());
      Check.that(call.getMessage() != null && !call.getMessage().isEmpty(), "no text");
      Check.thrown(LCException.class, () -> LCCloud.callRPCInBackground("nowhere", parameters).blockingFirst());
    });
  }
}
