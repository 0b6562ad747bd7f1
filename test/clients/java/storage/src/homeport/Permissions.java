package homeport;

import cn.leancloud.LCACL;
import cn.leancloud.LCException;
import cn.leancloud.LCObject;
import cn.leancloud.LCQuery;
import cn.leancloud.LCRole;
import cn.leancloud.LCUser;
import cn.leancloud.core.LeanCloud;
import java.util.List;

/** ACLs and roles. */
final class Permissions {
  private Permissions() {}

  static void add(Cases cases) {
    cases.add("an ACL lets its user read and write, and nobody else", () -> {
      LCUser owner = Accounts.signUp("owner");
      LCObject secret = new LCObject("Secret");
      secret.put("text", "hidden");
      LCACL acl = new LCACL(owner);
      secret.setACL(acl);
      secret.save();
      Check.equal("hidden", SavedObjects.stored(secret).getString("text"));
      LCObject shown = new LCQuery<>("Secret").includeACL(true).get(secret.getObjectId());
      Check.equal("hidden", shown.getString("text"));
      Accounts.signUp("stranger");
      Check.equal(0, new LCQuery<>("Secret").count());
      LCObject foreign = LCObject.createWithoutData("Secret", secret.getObjectId());
      foreign.put("text", "stolen");
      Check.equal(403, Check.thrown(LCException.class, foreign::save).getCode());
      Check.equal(403, Check.thrown(LCException.class, foreign::delete).getCode());
      LCUser.logOut();
      LeanCloud.setMasterKey(Server.MASTER_KEY);
      Check.equal("hidden", SavedObjects.stored(secret).getString("text"));
    });

    cases.add("an object that all may read and one may write", () -> {
      LCUser author = Accounts.signUp("author");
      LCObject article = new LCObject("Article");
      article.put("title", "first");
      LCACL acl = new LCACL();
      acl.setPublicReadAccess(true);
      acl.setWriteAccess(author, true);
      article.setACL(acl);
      article.save();
      Accounts.signUp("reader");
      LCObject read = SavedObjects.stored(article);
      Check.equal("first", read.getString("title"));
      read.put("title", "changed");
      Check.equal(403, Check.thrown(LCException.class, read::save).getCode());
      Accounts.logIn("author");
      read.save();
      Check.equal("changed", SavedObjects.stored(article).getString("title"));
    });

    cases.add("a role gives its members what the ACL gives to it", () -> {
      LCUser editor = Accounts.signUp("editor");
      LCACL closed = new LCACL();
      closed.setPublicReadAccess(true);
      closed.setWriteAccess(editor, true);
      LCRole role = new LCRole("editors", closed);
      role.getUsers().add(editor);
      role.save();
      Check.that(role.getObjectId() != null && !role.getObjectId().isEmpty(), "the role has no id");
      LCObject page = new LCObject("Page");
      page.put("text", "one");
      LCACL acl = new LCACL();
      acl.setRoleReadAccess("editors", true);
      acl.setRoleWriteAccess("editors", true);
      page.setACL(acl);
      page.save();
      page.put("text", "two");
      page.save();
      List<LCRole> roles = editor.getRolesInBackground().blockingFirst();
      Check.equal(1, roles.size());
      Check.equal("editors", roles.get(0).getName());
      LCUser guest = Accounts.signUp("guest");
      Check.equal(0, new LCQuery<>("Page").count());
      Accounts.logIn("editor");
      LCRole found = LCRole.getQuery().whereEqualTo("name", "editors").getFirst();
      found.getUsers().add(guest);
      found.save();
      Accounts.logIn("guest");
      Check.equal("two", new LCQuery<>("Page").getFirst().getString("text"));
    });
  }
}
