package homeport;

import cn.leancloud.AVException;
import cn.leancloud.AVFile;
import cn.leancloud.AVInstallation;
import cn.leancloud.AVObject;
import cn.leancloud.AVQuery;
import cn.leancloud.AVRelation;
import cn.leancloud.AVSaveOption;
import cn.leancloud.AVUser;
import cn.leancloud.types.AVGeoPoint;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The storage of these older versions, which parse JSON with another library than version 7 and later. */
final class OldStorage {
  private OldStorage() {}

  private static AVUser signUp(String username) {
    AVUser user = new AVUser();
    user.setUsername(username);
    user.setPassword("password of " + username);
    user.signUp();
    return user;
  }

  private static AVObject stored(AVObject object) {
    return AVObject.createWithoutData(object.getClassName(), object.getObjectId()).fetch();
  }

  static void add(Cases cases) {
    cases.add("version 6: accounts", () -> {
      AVUser made = signUp("old");
      AVUser user = AVUser.logIn("old", "password of old").blockingFirst();
      Check.equal(made.getObjectId(), user.getObjectId());
      Check.equal(210, Check.thrown(AVException.class, () -> AVUser.logIn("old", "x").blockingFirst()).getCode());
      user.put("nick", "O");
      user.save();
      Check.equal("O", AVUser.becomeWithSessionToken(user.getSessionToken()).getString("nick"));
      Check.equal(true, AVUser.currentUser().isAuthenticated());
    });

    cases.add("version 6: anonymous and third-party accounts", () -> {
      AVUser anonymous = AVUser.logInAnonymously().blockingFirst();
      Map<String, Object> account = new HashMap<>();
      account.put("openid", "of an old client");
      account.put("access_token", "a token");
      anonymous.associateWithAuthData(account, "weixinapp").blockingFirst();
      AVUser again = AVUser.loginWithAuthData(account, "weixinapp").blockingFirst();
      Check.equal(anonymous.getObjectId(), again.getObjectId());
      again.dissociateWithAuthData("weixinapp").blockingFirst();
    });

    cases.add("version 6: typed values and operations", () -> {
      Date date = new Date(1_600_000_000_123L);
      AVObject target = new AVObject("OldTarget");
      target.put("name", "target");
      AVObject object = new AVObject("OldTyped");
      object.put("date", date);
      object.put("bytes", new byte[] {0, 1, -1});
      object.put("point", new AVGeoPoint(39.9, 116.4));
      object.put("target", target);
      object.put("list", Arrays.asList("a", "b"));
      object.put("count", 1);
      object.save();
      AVObject blind = AVObject.createWithoutData("OldTyped", object.getObjectId());
      blind.increment("count", 4);
      blind.add("list", "c");
      blind.removeAll("list", Collections.singletonList("a"));
      blind.save();
      AVObject found = stored(object);
      Check.equal(date, found.getDate("date"));
      Check.that(Arrays.equals(new byte[] {0, 1, -1}, found.getBytes("bytes")), "other bytes");
      Check.equal(116.4, found.getAVGeoPoint("point").getLongitude());
      Check.equal(target.getObjectId(), found.getAVObject("target").getObjectId());
      Check.equal(5, found.getInt("count"));
      Check.equal(Arrays.asList("b", "c"), found.getList("list"));
    });

    cases.add("version 6: a save on a condition, many in one batch, a relation", () -> {
      AVObject one = new AVObject("OldMember");
      one.put("amount", 1);
      AVObject two = new AVObject("OldMember");
      two.put("amount", 2);
      AVObject.saveAll(Arrays.asList(one, two));
      one.increment("amount", -5);
      AVSaveOption enough = new AVSaveOption().query(new AVQuery<>("OldMember").whereGreaterThan("amount", 4));
      Check.equal(305, Check.thrown(AVException.class, () -> one.saveInBackground(enough).blockingFirst()).getCode());
      AVObject club = new AVObject("OldClub");
      AVRelation<AVObject> members = club.getRelation("members");
      members.add(two);
      club.save();
      Check.equal(2, stored(club).getRelation("members").getQuery().find().get(0).getInt("amount"));
    });

    cases.add("version 6: queries", () -> {
      for (int i = 0; i < 4; i++) {
        AVObject object = new AVObject("OldQueried");
        object.put("number", i);
        object.put("name", "n" + i);
        object.save();
      }
      AVQuery<AVObject> query = new AVQuery<>("OldQueried");
      List<AVObject> found = query.whereGreaterThan("number", 0).whereStartsWith("name", "n").orderByDescending("number")
          .limit(2).find();
      Check.equal(3, found.get(0).getInt("number"));
      Check.equal(2, found.size());
      Check.equal(4, new AVQuery<>("OldQueried").count());
      Object[] values = {1};
      Check.equal(2, AVQuery.doCloudQueryInBackground("select * from OldQueried where number > ?", values).blockingFirst()
          .getResults().size());
    });

    cases.add("version 6: a file that lies elsewhere, and the device", () -> {
      AVFile file = new AVFile("a.txt", "https://example.org/a.txt");
      file.save();
      AVObject post = new AVObject("OldPost");
      post.put("file", file);
      post.save();
      AVFile found = new AVQuery<>("OldPost").include("file").get(post.getObjectId()).getAVFile("file");
      Check.equal("https://example.org/a.txt", found.getUrl());
      AVInstallation installation = AVInstallation.getCurrentInstallation();
      installation.put("channels", Arrays.asList("news"));
      AVObject first = installation.saveInBackground().blockingFirst();
      AVObject second = installation.saveInBackground().blockingFirst();
      Check.equal(first.getObjectId(), second.getObjectId());
    });
  }
}
