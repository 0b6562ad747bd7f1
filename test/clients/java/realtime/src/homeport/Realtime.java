package homeport;

import cn.leancloud.AVLogger;
import cn.leancloud.AVUser;
import cn.leancloud.core.AVOSCloud;
import cn.leancloud.core.AppConfiguration;
import cn.leancloud.im.AVIMOptions;
import cn.leancloud.im.InternalConfiguration;

/** realtime-core with the storage-core it was made for: chats, live queries, and a few objects the old way. */
public final class Realtime {
  private Realtime() {}

  public static void main(String[] arguments) throws Exception {
    AVOSCloud.setLogLevel(AVLogger.Level.ERROR);
    String here = System.getProperty("user.dir");
    AppConfiguration.configCacheSettings(here + "/important", here + "/documents", here + "/files", here + "/queries",
        here + "/commands", here + "/statistics", new Settings());
    AVOSCloud.initialize(Server.APP_ID, Server.APP_KEY, Server.URL);
    AVIMOptions.getGlobalOptions().setUnreadNotificationEnabled(true);
    AVIMOptions.getGlobalOptions().setMessageQueryCacheEnabled(false);
    AVIMOptions.getGlobalOptions().setTimeoutInSecs(30);
    InternalConfiguration.setOperationTube(new Tube());
    Cases cases = new Cases(arguments[0], () -> {
      AVUser.changeCurrentUser(null, true);
      People.leave();
      Events.listen();
    });
    LiveQueries.add(cases);
    Sessions.add(cases);
    Conversations.add(cases);
    Talk.add(cases);
    Management.add(cases);
    OldStorage.add(cases);
    // Leaves the client in another app.
    OldFiles.add(cases);
    cases.run();
  }
}
