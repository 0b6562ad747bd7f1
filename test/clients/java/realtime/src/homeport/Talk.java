package homeport;

import cn.leancloud.AVFile;
import cn.leancloud.im.v2.AVIMBinaryMessage;
import cn.leancloud.im.v2.AVIMClient;
import cn.leancloud.im.v2.AVIMConversation;
import cn.leancloud.im.v2.AVIMException;
import cn.leancloud.im.v2.AVIMMessage;
import cn.leancloud.im.v2.AVIMMessageInterval;
import cn.leancloud.im.v2.AVIMMessageManager;
import cn.leancloud.im.v2.AVIMMessageOption;
import cn.leancloud.im.v2.AVIMMessageQueryDirection;
import cn.leancloud.im.v2.AVIMTypedMessage;
import cn.leancloud.im.v2.annotation.AVIMMessageField;
import cn.leancloud.im.v2.annotation.AVIMMessageType;
import cn.leancloud.im.v2.messages.AVIMImageMessage;
import cn.leancloud.im.v2.messages.AVIMLocationMessage;
import cn.leancloud.im.v2.messages.AVIMTextMessage;
import cn.leancloud.types.AVGeoPoint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Messages: sent, received, acknowledged, read, looked up, changed. */
final class Talk {
  private Talk() {}

  @AVIMMessageType(type = 7)
  public static final class Vote extends AVIMTypedMessage {
    @AVIMMessageField(name = "choice")
    public String choice;

    public Vote() {}

    public String getChoice() {
      return choice;
    }

    public void setChoice(String choice) {
      this.choice = choice;
    }
  }

  private static String words(List<AVIMMessage> messages) {
    List<String> words = new ArrayList<>();
    for (AVIMMessage message : messages) {
      words.add(Events.words(message).replace("text ", ""));
    }
    return String.join(" ", words);
  }

  private static AVIMMessageInterval interval(AVIMMessage from, boolean withFrom, AVIMMessage to, boolean withTo) {
    return new AVIMMessageInterval(
        AVIMMessageInterval.createBound(from.getMessageId(), from.getTimestamp(), withFrom),
        AVIMMessageInterval.createBound(to.getMessageId(), to.getTimestamp(), withTo));
  }

  static void add(Cases cases) {
    cases.add("messages of every kind go both ways", () -> {
      AVIMMessageManager.registerAVIMMessageType(Vote.class);
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      AVIMTextMessage text = People.text("你好 😀");
      text.setAttrs(Collections.singletonMap("mood", (Object) "good"));
      People.send(talk, text);
      Events.await(bob, "text 你好 😀 from " + ann.getClientId());
      AVIMConversation back = bob.getConversation(talk.getConversationId());
      People.send(back, People.text("hello back"));
      Events.await(ann, "text hello back from " + bob.getClientId());

      AVIMMessage plain = new AVIMMessage();
      plain.setContent("{\"of\":\"our own\"}");
      People.send(talk, plain);
      Events.await(bob, "AVIMMessage {\"of\":\"our own\"} from " + ann.getClientId());
      AVIMBinaryMessage bytes = new AVIMBinaryMessage();
      bytes.setBytes("0 and 1".getBytes(StandardCharsets.UTF_8));
      People.send(talk, bytes);
      Events.await(bob, "bytes 0 and 1 from " + ann.getClientId());
      Vote vote = new Vote();
      vote.setChoice("yes");
      People.send(talk, vote);
      AVIMLocationMessage place = new AVIMLocationMessage();
      place.setLocation(new AVGeoPoint(39.9, 116.4));
      place.setText("here");
      People.send(talk, place);

      List<AVIMMessage> history = Answer.messages((callback) -> back.queryMessages(10, callback));
      Check.equal(6, history.size());
      Check.equal("good", ((AVIMTextMessage) history.get(0)).getAttrs().get("mood"));
      Check.equal("bytes 0 and 1", Events.words(history.get(3)));
      Check.equal("yes", ((Vote) history.get(4)).getChoice());
      Check.equal(116.4, ((AVIMLocationMessage) history.get(5)).getLocation().getLongitude());
    });

    cases.add("an image that lies elsewhere is sent with the record of its file", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      AVIMImageMessage image =
          People.send(talk, new AVIMImageMessage(new AVFile("a.png", "https://example.org/a.png", null)));
      Events.await(bob, "AVIMImageMessage " + image.getContent() + " from " + ann.getClientId());
      AVIMConversation seen = bob.getConversation(talk.getConversationId());
      AVIMImageMessage kept = (AVIMImageMessage) Answer.messages((callback) -> seen.queryMessages(callback)).get(0);
      Check.equal("https://example.org/a.png", kept.getFileUrl());
      Check.equal("a.png", AVFile.withObjectIdInBackground(kept.getAVFile().getObjectId()).blockingFirst().getName());
    });

    cases.add("a transient message comes and is not kept", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      AVIMMessageOption option = new AVIMMessageOption();
      option.setTransient(true);
      People.send(talk, People.text("typing"), option);
      Events.await(bob, "text typing from " + ann.getClientId());
      Check.equal(0, Answer.messages((callback) -> talk.queryMessages(callback)).size());
    });

    cases.add("a message with a receipt tells its sender when it has come, and when it is read", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      AVIMMessageOption option = new AVIMMessageOption();
      option.setReceipt(true);
      People.send(talk, People.text("did you get it"), option);
      Events.await(bob, "text did you get it from " + ann.getClientId());
      Events.await(ann, "receipt of text did you get it");
      Events.await(ann, "delivered");
      bob.getConversation(talk.getConversationId()).read();
      Events.await(ann, "read");
      Answer.done(talk::fetchReceiptTimestamps);
      Check.that(talk.getLastDeliveredAt() > 0, "no time of delivery");
      Check.that(talk.getLastReadAt() > 0, "no time of reading");
    });

    cases.add("who was away learns how much is unread and whether it is mentioned, until it is read", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      People.close(bob);
      People.send(talk, People.text("one"));
      AVIMTextMessage mention = People.text("two");
      mention.setMentionList(People.ids(bob));
      People.send(talk, mention);
      AVIMClient again = People.open(AVIMClient.getInstance(bob.getClientId()));
      Events.await(again, "unread 2, mentioned");
      AVIMConversation seen = again.getConversation(talk.getConversationId());
      Check.equal("text two", Events.words(seen.getLastMessage()));
      seen.read();
      Events.await(again, "unread 0");
      People.send(talk, People.text("three"));
      Events.await(again, "text three from " + ann.getClientId());
    });

    cases.add("somebody mentioned is told so, and all are by mentioning all", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      AVIMTextMessage you = People.text("you");
      you.setMentionList(People.ids(bob));
      People.send(talk, you);
      Events.await(bob, "mentioned in text you");
      AVIMTextMessage all = People.text("all");
      all.setMentionAll(true);
      People.send(talk, all);
      Events.await(bob, "mentioned in text all");
    });

    cases.add("history goes back and forth, between bounds and by kind", () -> {
      AVIMClient ann = People.open();
      AVIMConversation talk = People.talk(ann);
      List<AVIMMessage> sent = new ArrayList<>();
      for (int i = 1; i <= 6; i++) {
        sent.add(People.send(talk, People.text("m" + i)));
      }
      AVIMMessage plain = new AVIMMessage();
      plain.setContent("no type");
      People.send(talk, plain);
      Check.equal("m5 m6 AVIMMessage no type", words(Answer.messages((callback) -> talk.queryMessages(3, callback))));
      AVIMMessage fourth = sent.get(3);
      Check.equal("m2 m3", words(Answer.messages(
          (callback) -> talk.queryMessages(fourth.getMessageId(), fourth.getTimestamp(), 2, callback))));
      AVIMMessageQueryDirection forth = AVIMMessageQueryDirection.AVIMMessageQueryDirectionFromOldToNew;
      AVIMMessageQueryDirection back = AVIMMessageQueryDirection.AVIMMessageQueryDirectionFromNewToOld;
      Check.equal("m3 m4 m5", words(Answer.messages(
          (callback) -> talk.queryMessages(interval(sent.get(1), false, sent.get(5), false), forth, 10, callback))));
      Check.equal("m2 m3", words(Answer.messages(
          (callback) -> talk.queryMessages(interval(sent.get(1), true, sent.get(5), true), forth, 2, callback))));
      Check.equal("m4 m5", words(Answer.messages(
          (callback) -> talk.queryMessages(interval(sent.get(4), true, sent.get(1), false), back, 2, callback))));
      Check.equal("m5 m6", words(Answer.messages((callback) -> talk.queryMessagesByType(-1, 2, callback))));
    });

    cases.add("a message is changed, then recalled, and the others are told", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      AVIMTextMessage message = People.send(talk, People.text("helo"));
      Events.await(bob, "text helo from " + ann.getClientId());
      Answer.updated((callback) -> talk.updateMessage(message, People.text("hello"), callback));
      Events.await(bob, "updated: text hello");
      Check.equal("hello", words(Answer.messages((callback) -> talk.queryMessages(callback))));
      Answer.recalled((callback) -> talk.recallMessage(message, callback));
      Events.await(bob, "recalled: " + message.getMessageId());
      Check.equal("recalled", words(Answer.messages((callback) -> talk.queryMessages(callback))));
    });

    cases.add("a message of another member is not changed, and one of somebody outside not taken", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMClient carl = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      AVIMTextMessage message = People.send(talk, People.text("mine"));
      AVIMConversation ofBob = bob.getConversation(talk.getConversationId());
      Check.equal(4403, Check.thrown(AVIMException.class,
          () -> Answer.updated((callback) -> ofBob.updateMessage(message, People.text("yours"), callback))).getCode());
      AVIMConversation ofCarl = carl.getConversation(talk.getConversationId());
      Check.equal(4401, Check.thrown(AVIMException.class, () -> People.send(ofCarl, People.text("let me in"))).getCode());
    });
  }
}
