package homeport;

import cn.leancloud.LCException;
import cn.leancloud.LCInstallation;
import cn.leancloud.LCObject;
import cn.leancloud.LCUser;
import cn.leancloud.core.LeanCloud;
import java.util.HashMap;
import java.util.Map;

/** Anonymous users, and accounts of other platforms. */
final class ThirdParty {
  private ThirdParty() {}

  private static Map<String, Object> account(String key, String id) {
    Map<String, Object> account = new HashMap<>();
    account.put(key, id);
    account.put("access_token", "a token");
    account.put("expires_in", 7200);
    return account;
  }

  private static Map<?, ?> storedAccounts(LCUser user) {
    LeanCloud.setMasterKey(Server.MASTER_KEY);
    Map<?, ?> accounts = (Map<?, ?>) LCObject.createWithoutData("_User", user.getObjectId()).fetch().get("authData");
    LeanCloud.setMasterKey(null);
    return accounts;
  }

  static void add(Cases cases) {
    cases.add("an anonymous login makes a user the first time, and finds it again", () -> {
      LCUser first = LCUser.logInAnonymously().blockingFirst();
      Check.equal(true, first.isAnonymous());
      Check.equal(first.getObjectId(), LCUser.currentUser().getObjectId());
      LCUser.logOut();
      Check.equal(first.getObjectId(), LCUser.logInAnonymously().blockingFirst().getObjectId());
    });

    cases.add("a platform linked to an anonymous user takes the place of the anonymous id", () -> {
      LCUser user = LCUser.logInAnonymously().blockingFirst();
      user.associateWithAuthData(account("openid", "no longer anonymous"), "weixin").blockingFirst();
      Check.equal(false, user.isAnonymous());
      Check.equal(java.util.Collections.singleton("weixin"), storedAccounts(user).keySet());
      LCUser.logOut();
      LCUser another = LCUser.logInAnonymously().blockingFirst();
      Check.that(!user.getObjectId().equals(another.getObjectId()), "the anonymous id still enters the account");
      Check.equal(LCInstallation.getCurrentInstallation().getInstallationId(),
          ((Map<?, ?>) storedAccounts(another).get("anonymous")).get("id"));
    });

    String[][] accounts = {
      {"weixin", "openid"}, {"qq", "openid"}, {"weibo", "uid"}, {"github", "uid"},
      {"weixinapp", "openid"}, {"weixin_mini_app", "openid"}, {"test", "openid"},
    };
    for (String[] each : accounts) {
      String platform = each[0];
      String key = each[1];
      cases.add("an account of " + platform + " with " + key + " makes a user the first time, and finds it again", () -> {
        LCUser first = LCUser.loginWithAuthData(account(key, "the same on all"), platform).blockingFirst();
        Check.equal(first.getSessionToken(), LCUser.currentUser().getSessionToken());
        LCUser.logOut();
        LCUser again = LCUser.loginWithAuthData(account(key, "the same on all"), platform).blockingFirst();
        Check.equal(first.getObjectId(), again.getObjectId());
        Check.equal(first.getUsername(), again.getUsername());
      });
    }

    cases.add("an account without uid and openid is refused with 250", () -> {
      Map<String, Object> nobody = account("name", "x");
      Check.equal(250, Check.thrown(LCException.class,
          () -> LCUser.loginWithAuthData(nobody, "github").blockingFirst()).getCode());
    });

    cases.add("a platform is linked to a user, logs in, and is unlinked again", () -> {
      LCUser user = Accounts.signUp("linda");
      user.associateWithAuthData(account("openid", "of linda"), "weixin").blockingFirst();
      user.associateWithAuthData(account("uid", "of linda"), "github").blockingFirst();
      Check.equal(2, storedAccounts(user).size());
      LCUser.logOut();
      LCUser byPlatform = LCUser.loginWithAuthData(account("openid", "of linda"), "weixin").blockingFirst();
      Check.equal(user.getObjectId(), byPlatform.getObjectId());
      byPlatform.dissociateWithAuthData("weixin").blockingFirst();
      Check.equal(java.util.Collections.singleton("github"), storedAccounts(user).keySet());
      LCUser.logOut();
      LCUser another = LCUser.loginWithAuthData(account("openid", "of linda"), "weixin").blockingFirst();
      Check.that(!user.getObjectId().equals(another.getObjectId()), "the unlinked account still enters the user");
    });

    cases.add("an account that belongs to somebody else is not linked: 137", () -> {
      LCUser.loginWithAuthData(account("uid", "taken"), "github").blockingFirst();
      LCUser other = Accounts.signUp("other");
      Check.equal(137, Check.thrown(LCException.class,
          () -> other.associateWithAuthData(account("uid", "taken"), "github").blockingFirst()).getCode());
    });

    cases.add("two platforms with one union id are one user", () -> {
      LCUser one = LCUser.loginWithAuthData(account("openid", "u1"), "weixin", "the union", "weixin", true).blockingFirst();
      LCUser.logOut();
      LCUser two =
          LCUser.loginWithAuthData(account("openid", "u2"), "weixinapp", "the union", "weixin", false).blockingFirst();
      Check.equal(one.getObjectId(), two.getObjectId());
    });

    cases.add("with failOnNotExist an unknown account makes no user: 211", () -> {
      LCUser nobody = new LCUser();
      Check.equal(211, Check.thrown(LCException.class,
          () -> nobody.loginWithAuthData(account("uid", "unknown"), "github", true).blockingFirst()).getCode());
    });
  }
}
