package homeport;

import cn.leancloud.LCException;
import cn.leancloud.LCObject;
import cn.leancloud.LCUser;

/** Sign-up, login, sessions, passwords. */
final class Accounts {
  private Accounts() {}

  static String passwordOf(String username) {
    return "password of " + username;
  }

  /** Registers a user, who is then the current one: signing up alone does not do that in this client. */
  static LCUser signUp(String username) {
    LCUser user = new LCUser();
    user.setUsername(username);
    user.setPassword(passwordOf(username));
    user.signUp();
    LCUser.changeCurrentUser(user, true);
    return user;
  }

  static LCUser logIn(String username) {
    return LCUser.logIn(username, passwordOf(username)).blockingFirst();
  }

  static void add(Cases cases) {
    cases.add("signing up gives a session token, and keeps no password once it is the current user", () -> {
      LCUser user = new LCUser();
      user.setUsername("ann");
      user.setPassword(passwordOf("ann"));
      user.setEmail("ann@example.org");
      user.put("nick", "Annie");
      user.signUp();
      LCUser.changeCurrentUser(user, true);
      Check.equal(user.getObjectId(), LCUser.currentUser().getObjectId());
      Check.equal(25, user.getSessionToken().length());
      Check.equal(null, user.getPassword());
      Check.equal(false, user.isMobilePhoneVerified());
      Check.equal("Annie", LCUser.currentUser().getString("nick"));
      Check.that(user.getCreatedAt() != null, "no createdAt");
    });

    cases.add("a name that is taken is refused with 202, a wrong password with 210, an unknown name with 211", () -> {
      signUp("bob");
      Check.equal(202, Check.thrown(LCException.class, () -> signUp("bob")).getCode());
      Check.equal(210, Check.thrown(LCException.class, () -> LCUser.logIn("bob", "wrong").blockingFirst()).getCode());
      Check.equal(211, Check.thrown(LCException.class, () -> LCUser.logIn("nobody", "x").blockingFirst()).getCode());
    });

    cases.add("logging in by name and by email gives the user with all fields, typed", () -> {
      LCUser made = new LCUser();
      made.setUsername("carl");
      made.setPassword(passwordOf("carl"));
      made.setEmail("carl@example.org");
      made.put("age", 34);
      made.signUp();
      LCUser.logOut();
      Check.equal(null, LCUser.currentUser());
      LCUser byName = logIn("carl");
      Check.equal(made.getObjectId(), byName.getObjectId());
      Check.equal(34, byName.getInt("age"));
      Check.equal("carl@example.org", byName.getEmail());
      Check.equal(false, byName.getBoolean("emailVerified"));
      LCUser byEmail = LCUser.loginByEmail("carl@example.org", passwordOf("carl")).blockingFirst();
      Check.equal(made.getObjectId(), byEmail.getObjectId());
      Check.equal("carl", LCUser.currentUser().getUsername());
    });

    cases.add("a session token makes its user the current one", () -> {
      LCUser user = signUp("dora");
      String token = user.getSessionToken();
      LCUser.logOut();
      LCUser became = LCUser.becomeWithSessionToken(token, true);
      Check.equal("dora", became.getUsername());
      Check.equal(token, LCUser.currentUser().getSessionToken());
      Check.equal(true, became.checkAuthenticatedInBackground().blockingFirst());
      Check.equal(211, Check.thrown(LCException.class, () -> LCUser.becomeWithSessionToken("x", true)).getCode());
    });

    cases.add("a refreshed session token replaces the one before it", () -> {
      LCUser user = signUp("emil");
      String before = user.getSessionToken();
      Check.equal(true, user.refreshSessionTokenInBackground().blockingFirst());
      Check.that(!before.equals(user.getSessionToken()), "the token is still the old one");
      Check.equal("emil", LCUser.becomeWithSessionToken(user.getSessionToken()).getUsername());
      Check.thrown(LCException.class, () -> LCUser.becomeWithSessionToken(before));
    });

    cases.add("a changed password is the one that logs in, and the current user keeps a valid session", () -> {
      LCUser user = signUp("finn");
      user.updatePasswordInBackground(passwordOf("finn"), "another").blockingFirst();
      Check.equal(true, user.checkAuthenticatedInBackground().blockingFirst());
      LCUser.logOut();
      Check.equal("finn", LCUser.logIn("finn", "another").blockingFirst().getUsername());
      Check.equal(210, Check.thrown(LCException.class, () -> logIn("finn")).getCode());
    });

    cases.add("the current user changes its own fields; nobody else's client may", () -> {
      LCUser gina = signUp("gina");
      gina.put("nick", "G");
      gina.save();
      gina.increment("logins", 2);
      gina.save();
      Check.equal("G", logIn("gina").getString("nick"));
      Check.equal(2, LCUser.currentUser().getInt("logins"));
      signUp("hans");
      LCObject foreign = LCObject.createWithoutData("_User", gina.getObjectId());
      foreign.put("nick", "stolen");
      Check.equal(206, Check.thrown(LCException.class, foreign::save).getCode());
    });

    cases.add("a user is fetched by its id, and found, without what is secret", () -> {
      LCUser ida = signUp("ida");
      LCObject fetched = LCObject.createWithoutData("_User", ida.getObjectId()).fetch();
      Check.equal("ida", fetched.getString("username"));
      LCUser.logOut();
      LCUser found = LCUser.getQuery().whereEqualTo("username", "ida").getFirst();
      Check.equal(ida.getObjectId(), found.getObjectId());
      Check.equal(false, found.has("password") || found.has("sessionToken"));
    });
  }
}
