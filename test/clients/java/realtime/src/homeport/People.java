package homeport;

import cn.leancloud.im.v2.AVIMClient;
import cn.leancloud.im.v2.AVIMConversation;
import cn.leancloud.im.v2.AVIMMessage;
import cn.leancloud.im.v2.AVIMMessageOption;
import cn.leancloud.im.v2.messages.AVIMTextMessage;
import cn.leancloud.session.AVConnectionManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Clients of messaging on the one connection that the process has. */
final class People {
  private static final List<AVIMClient> online = new ArrayList<>();
  private static int made = 0;

  private People() {}

  static void connect() throws Exception {
    AVConnectionManager connection = AVConnectionManager.getInstance();
    if (!connection.isConnectionEstablished()) {
      Answer.connected(connection::startConnection);
    }
  }

  /** An id that nobody else has. */
  static String name() {
    made += 1;
    return "person-" + made;
  }

  static AVIMClient open(AVIMClient client) throws Exception {
    connect();
    Answer.client(client::open);
    online.add(client);
    return client;
  }

  /** A new client, whose session is open. */
  static AVIMClient open() throws Exception {
    return open(AVIMClient.getInstance(name()));
  }

  static void close(AVIMClient client) throws Exception {
    online.remove(client);
    Answer.client(client::close);
  }

  /** Closes the sessions of a case; one that the server has ended needs it no more. */
  static void leave() throws Exception {
    for (AVIMClient client : new ArrayList<>(online)) {
      try {
        close(client);
      } catch (Exception ended) {
        online.remove(client);
      }
    }
  }

  static AVIMConversation talk(AVIMClient client, AVIMClient... others) throws Exception {
    List<String> members = new ArrayList<>();
    for (AVIMClient other : others) {
      members.add(other.getClientId());
    }
    return Answer.created((callback) -> client.createConversation(members, "a talk", null, false, false, callback));
  }

  static AVIMTextMessage text(String text) {
    AVIMTextMessage message = new AVIMTextMessage();
    message.setText(text);
    return message;
  }

  /** Sends, and waits until the server has it. */
  static <M extends AVIMMessage> M send(AVIMConversation conversation, M message) throws Exception {
    return send(conversation, message, new AVIMMessageOption());
  }

  static <M extends AVIMMessage> M send(AVIMConversation conversation, M message, AVIMMessageOption option)
      throws Exception {
    Answer.done((callback) -> conversation.sendMessage(message, option, callback));
    return message;
  }

  static List<String> ids(AVIMClient... clients) {
    String[] ids = new String[clients.length];
    for (int i = 0; i < clients.length; i++) {
      ids[i] = clients[i].getClientId();
    }
    return Arrays.asList(ids);
  }
}
