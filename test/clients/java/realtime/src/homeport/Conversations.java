package homeport;

import cn.leancloud.AVQuery;
import cn.leancloud.im.v2.AVIMClient;
import cn.leancloud.im.v2.AVIMConversation;
import cn.leancloud.im.v2.AVIMConversationsQuery;
import cn.leancloud.im.v2.AVIMException;
import com.alibaba.fastjson.JSON;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Conversations of all kinds: created, asked for, changed, joined and left. */
final class Conversations {
  private Conversations() {}

  private static List<AVIMConversation> found(AVIMConversationsQuery query) throws Exception {
    query.setQueryPolicy(AVQuery.CachePolicy.NETWORK_ONLY);
    return Answer.conversations(query::findInBackground);
  }

  static void add(Cases cases) {
    cases.add("a conversation is created with a name and attributes, and its members are invited", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      Map<String, Object> attributes = new HashMap<>();
      attributes.put("topic", "weather");
      attributes.put("size", 3);
      AVIMConversation talk = Answer.created(
          (callback) -> ann.createConversation(People.ids(bob), "rain", attributes, false, false, callback));
      Events.await(bob, "invited to rain by " + ann.getClientId());
      AVIMConversation seen = bob.getConversation(talk.getConversationId());
      Answer.done(seen::fetchInfoInBackground);
      Check.equal("rain", seen.getName());
      Check.equal("weather", seen.getAttribute("topic"));
      Check.equal(3, seen.getAttribute("size"));
      Check.equal(ann.getClientId(), seen.getCreator());
      Check.equal(2, seen.getMembers().size());
      Check.that(seen.getCreatedAt() != null, "it has no createdAt");
    });

    cases.add("a unique conversation of the same members is the same one", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation first = Answer.created((callback) -> ann.createConversation(People.ids(bob), "u", null, callback));
      AVIMConversation second = Answer.created((callback) -> bob.createConversation(People.ids(ann), "u", null, callback));
      Check.equal(first.getConversationId(), second.getConversationId());
    });

    cases.add("conversations are found by members, names, attributes and ids, in order", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      for (int i = 0; i < 3; i++) {
        Map<String, Object> attributes = new HashMap<>();
        attributes.put("number", i);
        String name = "found " + i;
        Answer.created((callback) -> ann.createConversation(People.ids(bob), name, attributes, false, false, callback));
      }
      Check.equal(3, found(ann.getConversationsQuery().withMembers(People.ids(bob), true)).size());
      Check.equal(3, found(ann.getConversationsQuery()).size());
      Check.equal("found 1", found(bob.getConversationsQuery().whereEqualTo("name", "found 1")).get(0).getName());
      List<AVIMConversation> big =
          found(ann.getConversationsQuery().whereGreaterThan("attr.number", 0).addAscendingOrder("name"));
      Check.equal(2, big.size());
      Check.equal("found 1", big.get(0).getName());
      Check.equal(1, found(ann.getConversationsQuery().whereStartsWith("name", "found").limit(1).skip(2)).size());
      Check.equal(2, found(ann.getConversationsQuery()
          .whereContainsIn("objectId", Arrays.asList(big.get(0).getConversationId(), big.get(1).getConversationId()))).size());
    });

    cases.add("a query with last messages has them", () -> {
      AVIMClient ann = People.open();
      AVIMConversation talk = People.talk(ann);
      People.send(talk, People.text("first"));
      People.send(talk, People.text("latest"));
      AVIMConversation seen = found(ann.getConversationsQuery().whereEqualTo("objectId", talk.getConversationId())
          .setWithLastMessagesRefreshed(true)).get(0);
      Check.equal("text latest", Events.words(seen.getLastMessage()));
    });

    cases.add("name, attributes and own fields are changed, and the others are told", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      Events.await(bob, "invited to a talk by " + ann.getClientId());
      talk.setName("renamed");
      talk.setAttribute("topic", "sun");
      talk.set("ownField", 5);
      Answer.done(talk::updateInfoInBackground);
      Events.await(bob, "changed renamed by " + ann.getClientId());
      AVIMConversation seen = bob.getConversation(talk.getConversationId());
      Answer.done(seen::fetchInfoInBackground);
      Check.equal("renamed", seen.getName());
      Check.equal("sun", seen.getAttribute("topic"));
      Check.equal(5, seen.get("ownField"));
    });

    cases.add("members are added and removed, join and leave, and are counted", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMClient carl = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      Answer.done((callback) -> talk.addMembers(People.ids(carl), callback));
      Events.await(carl, "invited to a talk by " + ann.getClientId());
      Events.await(bob, "joined " + People.ids(carl) + " by " + ann.getClientId());
      Check.equal(3, Answer.count(talk::getMemberCount));
      Answer.done((callback) -> talk.kickMembers(People.ids(carl), callback));
      Events.await(carl, "kicked by " + ann.getClientId());
      Events.await(bob, "left " + People.ids(carl) + " by " + ann.getClientId());
      AVIMConversation ofCarl = carl.getConversation(talk.getConversationId());
      Answer.done(ofCarl::join);
      Events.await(bob, "joined " + People.ids(carl) + " by " + carl.getClientId());
      Answer.done(ofCarl::quit);
      Events.await(bob, "left " + People.ids(carl) + " by " + carl.getClientId());
      Check.equal(2, Answer.count(talk::getMemberCount));
    });

    cases.add("a chat room is joined, counted and talked in", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation room = Answer.created((callback) -> ann.createChatRoom("a room", null, callback));
      AVIMConversation seen = bob.getChatRoom(room.getConversationId());
      Answer.done(seen::join);
      Check.equal(2, Answer.count(seen::getMemberCount));
      People.send(room, People.text("hello room"));
      Events.await(bob, "text hello room from " + ann.getClientId());
      Check.equal("a room", found(bob.getChatRoomQuery().whereEqualTo("objectId", room.getConversationId())).get(0).getName());
      Answer.done(seen::quit);
      Check.equal(1, Answer.count(room::getMemberCount));
    });

    cases.add("a temporary conversation is talked in and fetched by its id", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk =
          Answer.created((callback) -> ann.createTemporaryConversation(People.ids(bob), 600, callback));
      Check.equal(true, talk.isTemporary());
      Check.that(talk.getConversationId().startsWith("_tmp:"), talk.getConversationId());
      Check.that(talk.getTemporaryExpiredat() > System.currentTimeMillis() / 1000 + 500, "it expires too soon");
      People.send(talk, People.text("for a while"));
      Events.await(bob, "text for a while from " + ann.getClientId());
      AVIMConversation seen = bob.getTemporaryConversation(talk.getConversationId());
      Answer.done(seen::fetchInfoInBackground);
      Check.equal(2, seen.getMembers().size());
    });

    cases.add("a system conversation is found, subscribed to, and its messages come", () -> {
      AVIMClient ann = People.open();
      String made = Rest.post("/1.2/rtm/service-conversations", "{\"name\":\"the news\"}");
      String id = JSON.parseObject(made).getString("objectId");
      AVIMConversation news = found(ann.getServiceConversationQuery().whereEqualTo("objectId", id)).get(0);
      Check.equal("the news", news.getName());
      Check.equal(true, news.isSystem());
      Answer.done(ann.getServiceConversation(id)::join);
      String message = JSON.toJSONString("{\"_lctype\":-1,\"_lctext\":\"rain\"}");
      Rest.post("/1.2/rtm/service-conversations/" + id + "/broadcasts", "{\"from_client\":\"editor\",\"message\":" + message + "}");
      Events.await(ann, "text rain from editor");
      Rest.post("/1.2/rtm/service-conversations/" + id + "/messages", "{\"from_client\":\"editor\",\"to_clients\":[\""
          + ann.getClientId() + "\"],\"message\":" + message.replace("rain", "for you") + "}");
      Events.await(ann, "text for you from editor");
    });

    cases.add("a conversation that does not exist is none, and nothing is sent in it", () -> {
      AVIMClient ann = People.open();
      AVIMConversation nowhere = ann.getConversation("0123456789abcdef01234567");
      Check.equal(9100, Check.thrown(AVIMException.class, () -> Answer.done(nowhere::fetchInfoInBackground)).getCode());
      Check.thrown(AVIMException.class, () -> People.send(nowhere, People.text("x")));
    });
  }
}
