package homeport;

import cn.leancloud.AVUser;
import cn.leancloud.Messages;
import cn.leancloud.im.v2.AVIMClient;
import cn.leancloud.im.v2.AVIMConversation;
import cn.leancloud.im.v2.AVIMException;
import cn.leancloud.im.v2.AVIMMessage;
import cn.leancloud.im.v2.AVIMMessageOption;
import cn.leancloud.session.AVConnectionManager;
import cn.leancloud.session.AVSession;
import cn.leancloud.session.AVSessionManager;
import java.util.Arrays;
import java.util.List;

/** Sessions, and the connection that they share. */
final class Sessions {
  private Sessions() {}

  /** Breaks the line without a goodbye, and connects again; the client opens the sessions by itself. */
  private static void breakLine(AVIMClient... clients) throws Exception {
    AVConnectionManager.getInstance().resetConnection();
    Answer.connected(AVConnectionManager.getInstance()::startConnection);
    // The client tells of the first session that is open again, and not of the others.
    Check.soon("an open session", () -> Arrays.stream(clients).anyMatch((each) -> !Events.of(each, "resumed").isEmpty()));
    Check.soon("open sessions", () -> Arrays.stream(clients).allMatch(Sessions::isOpen));
  }

  private static boolean isOpen(AVIMClient client) {
    AVSession session = AVSessionManager.getInstance().getOrCreateSession(client.getClientId());
    return session.getCurrentStatus() == AVSession.Status.Opened;
  }

  static void add(Cases cases) {
    cases.add("a session opens and closes, and others see who is online", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      List<String> asked = Arrays.asList(ann.getClientId(), bob.getClientId(), "nobody");
      List<String> online = Answer.online((callback) -> ann.getOnlineClients(asked, callback));
      Check.equal(2, online.size());
      Check.that(online.containsAll(People.ids(ann, bob)), "online are " + online);
      People.close(bob);
      Check.equal(People.ids(ann), Answer.online((callback) -> ann.getOnlineClients(asked, callback)));
    });

    cases.add("a client alone on the connection leaves its id out, and is understood", () -> {
      AVIMClient ann = People.open();
      AVIMConversation talk = People.talk(ann);
      AVIMMessage sent = People.send(talk, People.text("to myself"));
      Check.that(sent.getMessageId() != null && sent.getTimestamp() > 0, "the message has no id");
      List<AVIMMessage> history = Answer.messages((callback) -> talk.queryMessages(callback));
      Check.equal("text to myself", Events.words(history.get(0)));
    });

    cases.add("two clients on the one connection get what is theirs", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMClient carl = People.open();
      People.send(People.talk(ann, bob), People.text("for bob"));
      People.send(People.talk(ann, carl), People.text("for carl"));
      Events.await(bob, "text for bob from " + ann.getClientId());
      Events.await(carl, "text for carl from " + ann.getClientId());
      Check.equal(1, Events.of(bob, "text").size());
      Check.equal(1, Events.of(carl, "text").size());
      Check.equal(0, Events.of(ann, "text").size());
    });

    cases.add("after a broken line sessions open again by their tokens, and messages come", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      breakLine(ann, bob);
      People.send(talk, People.text("after"));
      Events.await(bob, "text after from " + ann.getClientId());
    });

    cases.add("a will is sent when the line breaks", () -> {
      AVIMClient ann = People.open();
      AnotherDevice bob = AnotherDevice.connect();
      bob.open("bob elsewhere", "mobile");
      AVIMConversation talk = Answer.created(
          (callback) -> ann.createConversation(Arrays.asList("bob elsewhere"), "a talk", null, false, false, callback));
      AVIMMessageOption will = new AVIMMessageOption();
      will.setWill(true);
      People.send(talk, People.text("my will"), will);
      breakLine(ann);
      Messages.GenericCommand said = bob.await(Messages.CommandType.direct);
      Check.equal("{\"_lctype\":-1,\"_lctext\":\"my will\"}", said.getDirectMessage().getMsg());
      bob.close();
    });

    cases.add("a client that the server ends is told so, and may open again", () -> {
      AVIMClient ann = People.open();
      Rest.post("/1.2/rtm/clients/" + ann.getClientId() + "/kick", "{\"reason\":\"enough\"}");
      Events.await(ann, "offline 4115");
      Check.soon("a client without a session", () -> AVIMClient.getClientsCount() == 0);
      People.open(AVIMClient.getInstance(ann.getClientId()));
      People.send(People.talk(ann), People.text("back"));
    });

    cases.add("of two devices with one tag the first is ended with 4111", () -> {
      AVIMClient ann = People.open(AVIMClient.getInstance(People.name(), "mobile"));
      AnotherDevice device = AnotherDevice.connect();
      device.open(ann.getClientId(), "mobile");
      Events.await(ann, "offline 4111");
      device.close();
    });

    cases.add("a user opens with the signature that the server makes for its session", () -> {
      AVUser user = new AVUser();
      user.setUsername("in the chat");
      user.setPassword("a password");
      user.signUp();
      AVIMClient client = People.open(AVIMClient.getInstance(user));
      Check.equal(user.getObjectId(), client.getClientId());
    });

    cases.add("an id that is too long is refused", () -> {
      char[] letters = new char[65];
      Arrays.fill(letters, 'x');
      AVIMClient client = AVIMClient.getInstance(new String(letters));
      Check.equal(4103, Check.thrown(AVIMException.class, () -> People.open(client)).getCode());
    });
  }
}
