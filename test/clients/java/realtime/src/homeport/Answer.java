package homeport;

import cn.leancloud.AVException;
import cn.leancloud.callback.AVCallback;
import cn.leancloud.im.v2.AVIMClient;
import cn.leancloud.im.v2.AVIMConversation;
import cn.leancloud.im.v2.AVIMException;
import cn.leancloud.im.v2.AVIMMessage;
import cn.leancloud.im.v2.callback.AVIMClientCallback;
import cn.leancloud.im.v2.callback.AVIMConversationCallback;
import cn.leancloud.im.v2.callback.AVIMConversationCreatedCallback;
import cn.leancloud.im.v2.callback.AVIMConversationMemberCountCallback;
import cn.leancloud.im.v2.callback.AVIMConversationMemberQueryCallback;
import cn.leancloud.im.v2.callback.AVIMConversationQueryCallback;
import cn.leancloud.im.v2.callback.AVIMConversationSimpleResultCallback;
import cn.leancloud.im.v2.callback.AVIMMessageRecalledCallback;
import cn.leancloud.im.v2.callback.AVIMMessageUpdatedCallback;
import cn.leancloud.im.v2.callback.AVIMMessagesQueryCallback;
import cn.leancloud.im.v2.callback.AVIMOnlineClientsCallback;
import cn.leancloud.im.v2.callback.AVIMOperationFailure;
import cn.leancloud.im.v2.callback.AVIMOperationPartiallySucceededCallback;
import cn.leancloud.im.v2.conversation.AVIMConversationMemberInfo;
import cn.leancloud.im.v2.messages.AVIMRecalledMessage;
import cn.leancloud.livequery.AVLiveQuerySubscribeCallback;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Waits for what the client gives to a callback: it has a class of callback for each kind of answer. */
final class Answer<T> {
  private static final int SECONDS = 40;
  private final CompletableFuture<T> future = new CompletableFuture<>();

  private Answer() {}

  private void come(T value, Throwable failure) {
    if (failure == null) {
      future.complete(value);
    } else {
      future.completeExceptionally(failure);
    }
  }

  private T await() throws Exception {
    try {
      return future.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failure) {
      throw new Exception("what was asked failed", failure.getCause());
    }
  }

  static AVIMClient client(Consumer<AVIMClientCallback> ask) throws Exception {
    Answer<AVIMClient> answer = new Answer<>();
    ask.accept(new AVIMClientCallback() {
      @Override
      public void done(AVIMClient client, AVIMException failure) {
        answer.come(client, failure);
      }
    });
    return answer.await();
  }

  static AVIMConversation created(Consumer<AVIMConversationCreatedCallback> ask) throws Exception {
    Answer<AVIMConversation> answer = new Answer<>();
    ask.accept(new AVIMConversationCreatedCallback() {
      @Override
      public void done(AVIMConversation conversation, AVIMException failure) {
        answer.come(conversation, failure);
      }
    });
    return answer.await();
  }

  static void done(Consumer<AVIMConversationCallback> ask) throws Exception {
    Answer<Void> answer = new Answer<>();
    ask.accept(new AVIMConversationCallback() {
      @Override
      public void done(AVIMException failure) {
        answer.come(null, failure);
      }
    });
    answer.await();
  }

  static List<AVIMConversation> conversations(Consumer<AVIMConversationQueryCallback> ask) throws Exception {
    Answer<List<AVIMConversation>> answer = new Answer<>();
    ask.accept(new AVIMConversationQueryCallback() {
      @Override
      public void done(List<AVIMConversation> conversations, AVIMException failure) {
        answer.come(conversations, failure);
      }
    });
    return answer.await();
  }

  static List<AVIMMessage> messages(Consumer<AVIMMessagesQueryCallback> ask) throws Exception {
    Answer<List<AVIMMessage>> answer = new Answer<>();
    ask.accept(new AVIMMessagesQueryCallback() {
      @Override
      public void done(List<AVIMMessage> messages, AVIMException failure) {
        answer.come(messages, failure);
      }
    });
    return answer.await();
  }

  static List<String> online(Consumer<AVIMOnlineClientsCallback> ask) throws Exception {
    Answer<List<String>> answer = new Answer<>();
    ask.accept(new AVIMOnlineClientsCallback() {
      @Override
      public void done(List<String> clients, AVIMException failure) {
        answer.come(clients, failure);
      }
    });
    return answer.await();
  }

  static List<String> clients(Consumer<AVIMConversationSimpleResultCallback> ask) throws Exception {
    Answer<List<String>> answer = new Answer<>();
    ask.accept(new AVIMConversationSimpleResultCallback() {
      @Override
      public void done(List<String> clients, AVIMException failure) {
        answer.come(clients, failure);
      }
    });
    return answer.await();
  }

  static int count(Consumer<AVIMConversationMemberCountCallback> ask) throws Exception {
    Answer<Integer> answer = new Answer<>();
    ask.accept(new AVIMConversationMemberCountCallback() {
      @Override
      public void done(Integer count, AVIMException failure) {
        answer.come(count, failure);
      }
    });
    return answer.await();
  }

  static List<AVIMConversationMemberInfo> members(Consumer<AVIMConversationMemberQueryCallback> ask) throws Exception {
    Answer<List<AVIMConversationMemberInfo>> answer = new Answer<>();
    ask.accept(new AVIMConversationMemberQueryCallback() {
      @Override
      public void done(List<AVIMConversationMemberInfo> members, AVIMException failure) {
        answer.come(members, failure);
      }
    });
    return answer.await();
  }

  /** @return the ids with which it went well; of the others the client tells as well, which none of the cases has */
  static List<String> successes(Consumer<AVIMOperationPartiallySucceededCallback> ask) throws Exception {
    Answer<List<String>> answer = new Answer<>();
    ask.accept(new AVIMOperationPartiallySucceededCallback() {
      @Override
      public void done(AVIMException failure, List<String> clients, List<AVIMOperationFailure> failures) {
        answer.come(clients, failure);
      }
    });
    return answer.await();
  }

  static AVIMMessage updated(Consumer<AVIMMessageUpdatedCallback> ask) throws Exception {
    Answer<AVIMMessage> answer = new Answer<>();
    ask.accept(new AVIMMessageUpdatedCallback() {
      @Override
      public void done(AVIMMessage message, AVException failure) {
        answer.come(message, failure);
      }
    });
    return answer.await();
  }

  static AVIMRecalledMessage recalled(Consumer<AVIMMessageRecalledCallback> ask) throws Exception {
    Answer<AVIMRecalledMessage> answer = new Answer<>();
    ask.accept(new AVIMMessageRecalledCallback() {
      @Override
      public void done(AVIMRecalledMessage message, AVException failure) {
        answer.come(message, failure);
      }
    });
    return answer.await();
  }

  static void subscribed(Consumer<AVLiveQuerySubscribeCallback> ask) throws Exception {
    Answer<Void> answer = new Answer<>();
    ask.accept(new AVLiveQuerySubscribeCallback() {
      @Override
      public void done(AVException failure) {
        answer.come(null, failure);
      }
    });
    answer.await();
  }

  static void connected(Consumer<AVCallback<Void>> ask) throws Exception {
    Answer<Void> answer = new Answer<>();
    ask.accept(new AVCallback<Void>() {
      @Override
      protected void internalDone0(Void nothing, AVException failure) {
        answer.come(null, failure);
      }
    });
    answer.await();
  }
}
