package homeport;

import cn.leancloud.im.v2.AVIMBinaryMessage;
import cn.leancloud.im.v2.AVIMClient;
import cn.leancloud.im.v2.AVIMClientEventHandler;
import cn.leancloud.im.v2.AVIMConversation;
import cn.leancloud.im.v2.AVIMConversationEventHandler;
import cn.leancloud.im.v2.AVIMMessage;
import cn.leancloud.im.v2.AVIMMessageHandler;
import cn.leancloud.im.v2.AVIMMessageManager;
import cn.leancloud.im.v2.conversation.AVIMConversationMemberInfo;
import cn.leancloud.im.v2.messages.AVIMRecalledMessage;
import cn.leancloud.im.v2.messages.AVIMTextMessage;
import com.alibaba.fastjson.JSONObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the client tells of, in words: "person-1: text hello from person-2". */
final class Events {
  private static final List<String> told = new CopyOnWriteArrayList<>();

  private Events() {}

  /** Waits until the client has been told of this. */
  static void await(AVIMClient client, String event) throws InterruptedException {
    String whole = client.getClientId() + ": " + event;
    try {
      Check.soon(whole, () -> told.contains(whole));
    } catch (AssertionError failure) {
      throw new AssertionError(failure.getMessage() + "; but " + told);
    }
  }

  /** What the client has been told of that begins so. */
  static List<String> of(AVIMClient client, String beginning) {
    List<String> found = new ArrayList<>();
    for (String each : told) {
      if (each.startsWith(client.getClientId() + ": " + beginning)) {
        found.add(each.substring(client.getClientId().length() + 2));
      }
    }
    return found;
  }

  private static void tell(AVIMClient client, String event) {
    told.add(client.getClientId() + ": " + event);
  }

  static String words(AVIMMessage message) {
    if (message instanceof AVIMTextMessage) {
      return "text " + ((AVIMTextMessage) message).getText();
    }
    if (message instanceof AVIMRecalledMessage) {
      return "recalled";
    }
    if (message instanceof AVIMBinaryMessage) {
      return "bytes " + new String(((AVIMBinaryMessage) message).getBytes(), StandardCharsets.UTF_8);
    }
    return message.getClass().getSimpleName() + " " + message.getContent();
  }

  /** Forgets what was, and listens anew: a handler of a client tells nothing twice in succession. */
  static void listen() {
    told.clear();
    AVIMClient.setClientEventHandler(new AVIMClientEventHandler() {
      @Override
      public void onConnectionPaused(AVIMClient client) {
        tell(client, "paused");
      }

      @Override
      public void onConnectionResume(AVIMClient client) {
        tell(client, "resumed");
      }

      @Override
      public void onClientOffline(AVIMClient client, int code) {
        tell(client, "offline " + code);
      }
    });
    AVIMMessageManager.registerDefaultMessageHandler(new AVIMMessageHandler() {
      @Override
      public void onMessage(AVIMMessage message, AVIMConversation conversation, AVIMClient client) {
        tell(client, words(message) + " from " + message.getFrom());
        if (message.mentioned()) {
          tell(client, "mentioned in " + words(message));
        }
      }

      @Override
      public void onMessageReceipt(AVIMMessage message, AVIMConversation conversation, AVIMClient client) {
        tell(client, "receipt of " + words(message));
      }
    });
    AVIMMessageManager.setConversationEventHandler(new ConversationEvents());
  }

  private static final class ConversationEvents extends AVIMConversationEventHandler {
    @Override
    public void onMemberLeft(AVIMClient client, AVIMConversation talk, List<String> members, String by) {
      tell(client, "left " + members + " by " + by);
    }

    @Override
    public void onMemberJoined(AVIMClient client, AVIMConversation talk, List<String> members, String by) {
      tell(client, "joined " + members + " by " + by);
    }

    @Override
    public void onKicked(AVIMClient client, AVIMConversation talk, String by) {
      tell(client, "kicked by " + by);
    }

    @Override
    public void onInvited(AVIMClient client, AVIMConversation talk, String by) {
      tell(client, "invited to " + talk.getName() + " by " + by);
    }

    @Override
    public void onMuted(AVIMClient client, AVIMConversation talk, String by) {
      tell(client, "silenced by " + by);
    }

    @Override
    public void onUnmuted(AVIMClient client, AVIMConversation talk, String by) {
      tell(client, "no longer silenced by " + by);
    }

    @Override
    public void onMemberMuted(AVIMClient client, AVIMConversation talk, List<String> members, String by) {
      tell(client, "silenced " + members + " by " + by);
    }

    @Override
    public void onMemberUnmuted(AVIMClient client, AVIMConversation talk, List<String> members, String by) {
      tell(client, "no longer silenced " + members + " by " + by);
    }

    @Override
    public void onBlocked(AVIMClient client, AVIMConversation talk, String by) {
      tell(client, "blocked by " + by);
    }

    @Override
    public void onUnblocked(AVIMClient client, AVIMConversation talk, String by) {
      tell(client, "unblocked by " + by);
    }

    @Override
    public void onMemberBlocked(AVIMClient client, AVIMConversation talk, List<String> members, String by) {
      tell(client, "blocked " + members + " by " + by);
    }

    @Override
    public void onMemberUnblocked(AVIMClient client, AVIMConversation talk, List<String> members, String by) {
      tell(client, "unblocked " + members + " by " + by);
    }

    @Override
    public void onUnreadMessagesCountUpdated(AVIMClient client, AVIMConversation talk) {
      tell(client, "unread " + talk.getUnreadMessagesCount() + (talk.unreadMessagesMentioned() ? ", mentioned" : ""));
    }

    @Override
    public void onLastDeliveredAtUpdated(AVIMClient client, AVIMConversation talk) {
      tell(client, "delivered");
    }

    @Override
    public void onLastReadAtUpdated(AVIMClient client, AVIMConversation talk) {
      tell(client, "read");
    }

    @Override
    public void onMessageUpdated(AVIMClient client, AVIMConversation talk, AVIMMessage message) {
      tell(client, "updated: " + words(message));
    }

    @Override
    public void onMessageRecalled(AVIMClient client, AVIMConversation talk, AVIMMessage message) {
      tell(client, "recalled: " + message.getMessageId());
    }

    @Override
    public void onMemberInfoUpdated(AVIMClient client, AVIMConversation talk, AVIMConversationMemberInfo member,
        List<String> properties, String by) {
      tell(client, "role of " + member.getMemberId() + " is " + member.getRole() + " by " + by);
    }

    @Override
    public void onInfoChanged(AVIMClient client, AVIMConversation talk, JSONObject attributes, String by) {
      tell(client, "changed " + talk.getName() + " by " + by);
    }
  }
}
