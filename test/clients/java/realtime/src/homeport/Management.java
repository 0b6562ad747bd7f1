package homeport;

import cn.leancloud.im.v2.AVIMClient;
import cn.leancloud.im.v2.AVIMConversation;
import cn.leancloud.im.v2.AVIMException;
import cn.leancloud.im.v2.conversation.AVIMConversationMemberInfo;
import cn.leancloud.im.v2.conversation.ConversationMemberRole;
import java.util.Collections;
import java.util.List;

/** What the owner of a conversation does with its members: roles, silencing, blocking; and muting for oneself. */
final class Management {
  private Management() {}

  static void add(Cases cases) {
    cases.add("a member is silenced, told so, found among the silenced, and speaks again", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMClient carl = People.open();
      AVIMConversation talk = People.talk(ann, bob, carl);
      AVIMConversation ofBob = bob.getConversation(talk.getConversationId());
      Check.equal(People.ids(bob), Answer.successes((callback) -> talk.muteMembers(People.ids(bob), callback)));
      Events.await(bob, "silenced by " + ann.getClientId());
      Events.await(carl, "silenced " + People.ids(bob) + " by " + ann.getClientId());
      Check.equal(4563, Check.thrown(AVIMException.class, () -> People.send(ofBob, People.text("but"))).getCode());
      Check.equal(People.ids(bob), Answer.clients((callback) -> talk.queryMutedMembers(0, 10, callback)));
      Check.equal(People.ids(bob), Answer.successes((callback) -> talk.unmuteMembers(People.ids(bob), callback)));
      Events.await(bob, "no longer silenced by " + ann.getClientId());
      Events.await(carl, "no longer silenced " + People.ids(bob) + " by " + ann.getClientId());
      People.send(ofBob, People.text("at last"));
      Events.await(carl, "text at last from " + bob.getClientId());
    });

    cases.add("a member is blocked, thereby removed, found among the blocked, and may come back", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMClient carl = People.open();
      AVIMConversation talk = People.talk(ann, bob, carl);
      AVIMConversation ofBob = bob.getConversation(talk.getConversationId());
      Check.equal(People.ids(bob), Answer.successes((callback) -> talk.blockMembers(People.ids(bob), callback)));
      Events.await(bob, "blocked by " + ann.getClientId());
      Events.await(carl, "blocked " + People.ids(bob) + " by " + ann.getClientId());
      Check.thrown(AVIMException.class, () -> Answer.done(ofBob::join));
      Check.equal(People.ids(bob), Answer.clients((callback) -> talk.queryBlockedMembers(0, 10, callback)));
      Check.equal(People.ids(bob), Answer.successes((callback) -> talk.unblockMembers(People.ids(bob), callback)));
      Events.await(bob, "unblocked by " + ann.getClientId());
      Answer.done(ofBob::join);
    });

    cases.add("a member is made a manager, all are told, and roles can be asked for", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMClient carl = People.open();
      AVIMConversation talk = People.talk(ann, bob, carl);
      Answer.done((callback) -> talk.updateMemberRole(bob.getClientId(), ConversationMemberRole.MANAGER, callback));
      Events.await(carl, "role of " + bob.getClientId() + " is MANAGER by " + ann.getClientId());
      List<AVIMConversationMemberInfo> all = Answer.members((callback) -> talk.getAllMemberInfo(0, 10, callback));
      Check.equal(1, all.size());
      Check.equal(ConversationMemberRole.MANAGER, all.get(0).getRole());
      AVIMConversation ofBob = bob.getConversation(talk.getConversationId());
      Check.equal(People.ids(carl), Answer.successes((callback) -> ofBob.muteMembers(People.ids(carl), callback)));
    });

    cases.add("a member without the right silences and promotes nobody", () -> {
      AVIMClient ann = People.open();
      AVIMClient bob = People.open();
      AVIMConversation talk = People.talk(ann, bob);
      AVIMConversation ofBob = bob.getConversation(talk.getConversationId());
      Check.thrown(AVIMException.class,
          () -> Answer.successes((callback) -> ofBob.muteMembers(People.ids(ann), callback)));
      Check.thrown(AVIMException.class, () -> Answer.done(
          (callback) -> ofBob.updateMemberRole(bob.getClientId(), ConversationMemberRole.MANAGER, callback)));
    });

    cases.add("a conversation is muted for oneself, and no longer", () -> {
      AVIMClient ann = People.open();
      AVIMConversation talk = People.talk(ann);
      Answer.done(talk::mute);
      Answer.done(talk::fetchInfoInBackground);
      Check.equal(Collections.singletonList(ann.getClientId()), talk.get("mu"));
      Answer.done(talk::unmute);
      Answer.done(talk::fetchInfoInBackground);
      Check.equal(Collections.emptyList(), talk.get("mu"));
    });
  }
}
