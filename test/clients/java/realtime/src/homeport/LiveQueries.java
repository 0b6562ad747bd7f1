package homeport;

import cn.leancloud.AVObject;
import cn.leancloud.AVQuery;
import cn.leancloud.AVUser;
import cn.leancloud.Messages;
import cn.leancloud.command.LiveQueryLoginPacket;
import cn.leancloud.livequery.AVLiveQuery;
import cn.leancloud.livequery.AVLiveQueryEventHandler;
import cn.leancloud.service.RealtimeClient;
import com.alibaba.fastjson.JSONObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Live queries, behind the login for pushes and without it. */
final class LiveQueries {
  private LiveQueries() {}

  private static final class Heard extends AVLiveQueryEventHandler {
    final List<String> events = new CopyOnWriteArrayList<>();

    void await(String event) throws InterruptedException {
      Check.soon(event, () -> events.contains(event));
    }

    @Override
    public void onObjectCreated(AVObject object) {
      events.add("created " + object.getString("name"));
    }

    @Override
    public void onObjectUpdated(AVObject object, List<String> keys) {
      events.add("updated " + object.getString("name") + " " + keys);
    }

    @Override
    public void onObjectEnter(AVObject object, List<String> keys) {
      events.add("entered " + object.getString("name") + " " + keys);
    }

    @Override
    public void onObjectLeave(AVObject object, List<String> keys) {
      events.add("left " + object.getString("name") + " " + keys);
    }

    @Override
    public void onObjectDeleted(String id) {
      events.add("deleted " + id);
    }

    @Override
    public void onUserLogin(AVUser user) {
      events.add("login of " + user.getUsername());
    }
  }

  private static AVObject saved(String className, String name, int number) {
    AVObject object = new AVObject(className);
    object.put("name", name);
    object.put("number", number);
    object.save();
    return object;
  }

  static void add(Cases cases) {
    cases.add("a live query tells of what is created, changed and deleted", () -> {
      saved("Watched", "before", 0);
      People.connect();
      AVLiveQuery live = AVLiveQuery.initWithQuery(new AVQuery<>("Watched").whereGreaterThan("number", 10));
      Heard heard = new Heard();
      live.setEventHandler(heard);
      Answer.subscribed(live::subscribeInBackground);
      AVObject object = saved("Watched", "one", 11);
      heard.await("created one");
      object.put("number", 12);
      object.save();
      heard.await("updated one [number]");
      object.put("number", 1);
      object.save();
      heard.await("left one [number]");
      object.put("number", 20);
      object.save();
      heard.await("entered one [number]");
      object.delete();
      heard.await("deleted " + object.getObjectId());
      Answer.subscribed(live::unsubscribeInBackground);
      saved("Watched", "unheard", 30);
      Check.equal(false, heard.events.contains("created unheard"));
    });

    cases.add("a live query of users tells of logins", () -> {
      AVUser user = new AVUser();
      user.setUsername("watched user");
      user.setPassword("a password");
      user.signUp();
      AVUser.logIn("watched user", "a password").blockingFirst();
      People.connect();
      AVLiveQuery live = AVLiveQuery.initWithQuery(AVUser.getQuery().whereEqualTo("username", "watched user"));
      Heard heard = new Heard();
      live.setEventHandler(heard);
      Answer.subscribed(live::subscribeInBackground);
      AVUser.logIn("watched user", "a password").blockingFirst();
      heard.await("login of watched user");
      Answer.subscribed(live::unsubscribeInBackground);
    });

    cases.add("without the login for pushes the first command names no app, and the live query is served", () -> {
      saved("Quiet", "before", 0);
      AnotherDevice device = AnotherDevice.connect();
      LiveQueryLoginPacket login = new LiveQueryLoginPacket();
      login.setSubscribeId("subscription-of-a-quiet-device");
      login.setClientTs(System.currentTimeMillis());
      login.setRequestId(7);
      device.send(login);
      Messages.GenericCommand loggedIn = device.await(Messages.CommandType.loggedin);
      Check.equal(7, loggedIn.getI());
      Check.equal(LiveQueryLoginPacket.SERVICE_LIVE_QUERY, loggedIn.getService());
      // As AVLiveQuery does: it subscribes when it is logged in.
      Map<String, Object> query = new HashMap<>();
      query.put("className", "Quiet");
      query.put("where", "{\"number\":1}");
      Map<String, Object> subscription = new HashMap<>();
      subscription.put("query", query);
      subscription.put("id", "subscription-of-a-quiet-device");
      JSONObject answer = RealtimeClient.getInstance().subscribeLiveQuery(subscription).blockingFirst();
      saved("Quiet", "heard", 1);
      Messages.GenericCommand data = device.await(Messages.CommandType.data);
      Check.equal(LiveQueryLoginPacket.SERVICE_LIVE_QUERY, data.getService());
      JSONObject event = JSONObject.parseObject(data.getDataMessage().getMsg(0).getData());
      Check.equal("create", event.getString("op"));
      Check.equal(answer.getString("query_id"), event.getString("query_id"));
      Check.equal("heard", event.getJSONObject("object").getString("name"));
      device.close();
    });
  }
}
