package homeport;

import cn.leancloud.LCInstallation;
import cn.leancloud.LCObject;
import cn.leancloud.core.LeanCloud;
import java.util.Arrays;

/** The record of the device. */
final class Installations {
  private Installations() {}

  static void add(Cases cases) {
    cases.add("the device is registered, and its record saved again and again", () -> {
      LCInstallation installation = LCInstallation.getCurrentInstallation();
      installation.put("channels", Arrays.asList("news", "weather"));
      installation.save();
      String id = installation.getObjectId();
      Check.that(id != null && !id.isEmpty(), "it has no id");
      installation.put("channels", Arrays.asList("news"));
      installation.put("city", "Berlin");
      installation.save();
      Check.equal(id, installation.getObjectId());
      LeanCloud.setMasterKey(Server.MASTER_KEY);
      LCObject stored = LCObject.createWithoutData("_Installation", id).fetch();
      Check.equal(installation.getInstallationId(), stored.getString("installationId"));
      Check.equal("android", stored.getString("deviceType"));
      Check.equal("Berlin", stored.getString("city"));
      Check.equal(Arrays.asList("news"), stored.getList("channels"));
    });

    cases.add("a device that keeps an id of another server saves its record all the same", () -> {
      LCInstallation moved = LCInstallation.getCurrentInstallation();
      moved.setObjectId("0123456789abcdef01234567");
      moved.put("city", "Bremen");
      moved.save();
      LeanCloud.setMasterKey(Server.MASTER_KEY);
      LCInstallation stored = LCInstallation.getQuery().whereEqualTo("installationId", moved.getInstallationId()).getFirst();
      Check.equal("Bremen", stored.getString("city"));
    });
  }
}
