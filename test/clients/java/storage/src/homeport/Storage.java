package homeport;

import cn.leancloud.LCLogger;
import cn.leancloud.LCUser;
import cn.leancloud.core.LeanCloud;

/** storage-core: accounts and objects. */
public final class Storage {
  private Storage() {}

  public static void main(String[] arguments) throws Exception {
    LeanCloud.setLogLevel(LCLogger.Level.ERROR);
    LeanCloud.initialize(Server.APP_ID, Server.APP_KEY, Server.URL);
    Cases cases = new Cases(arguments[0], () -> {
      LeanCloud.initialize(Server.APP_ID, Server.APP_KEY, Server.URL);
      LeanCloud.setMasterKey(null);
      LCUser.changeCurrentUser(null, true);
    });
    Accounts.add(cases);
    ThirdParty.add(cases);
    SavedObjects.add(cases);
    Queries.add(cases);
    Permissions.add(cases);
    Friendship.add(cases);
    Installations.add(cases);
    UploadedFiles.add(cases);
    Statuses.add(cases);
    Leaderboards.add(cases);
    Searches.add(cases);
    cases.run();
  }
}
