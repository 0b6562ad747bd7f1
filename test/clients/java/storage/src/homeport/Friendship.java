package homeport;

import cn.leancloud.LCBlockRelation;
import cn.leancloud.LCException;
import cn.leancloud.LCFriendship;
import cn.leancloud.LCFriendshipRequest;
import cn.leancloud.LCObject;
import cn.leancloud.LCUser;
import cn.leancloud.callback.FollowersAndFolloweesCallback;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Who follows whom, and who is whose friend. */
final class Friendship {
  private Friendship() {}

  static void add(Cases cases) {
    cases.add("a user follows another with attributes, and unfollows", () -> {
      LCUser star = Accounts.signUp("followed star");
      LCUser fan = Accounts.signUp("following fan");
      fan.followInBackground(star.getObjectId(), Collections.singletonMap("score", 100)).blockingFirst();
      LCObject followee = fan.followeeQuery().whereEqualTo("score", 100).getFirst();
      Check.equal("followed star", ((LCUser) followee.getLCObject("followee")).getUsername());
      List<LCObject> followers = LCUser.followerQuery(star.getObjectId(), LCObject.class).find();
      Check.equal(1, followers.size());
      Check.equal("following fan", ((LCUser) followers.get(0).getLCObject("follower")).getUsername());
      fan.unfollowInBackground(star.getObjectId()).blockingFirst();
      Check.equal(0, fan.followeeQuery().count());
      Check.equal(221, Check.thrown(LCException.class,
          () -> fan.unfollowInBackground(star.getObjectId()).blockingFirst()).getCode());
    });

    cases.add("followers and followees come at once", () -> {
      LCUser star = Accounts.signUp("star of both");
      LCUser fan = Accounts.signUp("fan of both");
      fan.followInBackground(star.getObjectId()).blockingFirst();
      CompletableFuture<Map<String, List<LCUser>>> told = new CompletableFuture<>();
      fan.getFollowersAndFolloweesInBackground(new FollowersAndFolloweesCallback<LCObject>() {
        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        public void done(Map found, LCException failure) {
          if (failure == null) {
            told.complete(found);
          } else {
            told.completeExceptionally(failure);
          }
        }
      });
      Map<String, List<LCUser>> found = told.get(30, TimeUnit.SECONDS);
      Check.equal(null, found.get("follower"));
      Check.equal(star.getObjectId(), found.get("followee").get(0).getObjectId());
    });

    cases.add("a friend request is accepted, and both are friends with attributes of their own", () -> {
      LCUser bob = Accounts.signUp("asked bob");
      LCUser ann = Accounts.signUp("asking ann");
      LCFriendshipRequest made =
          ann.applyFriendshipInBackground(bob, Collections.singletonMap("group", "sport")).blockingFirst();
      Check.that(made.getObjectId() != null, "the request has no id");
      Check.equal(1, ann.friendshipRequestQuery(LCFriendshipRequest.STATUS_PENDING, true, false).count());
      LCUser asked = Accounts.logIn("asked bob");
      LCFriendshipRequest request =
          asked.friendshipRequestQuery(LCFriendshipRequest.STATUS_PENDING, true, true).getFirst();
      Check.equal("asking ann", request.getSourceUser().getUsername());
      request.accept(Collections.singletonMap("group", "work")).blockingFirst();
      Check.equal(1, asked.friendshipRequestQuery(LCFriendshipRequest.STATUS_ACCEPTED, false, true).count());
      List<LCFriendship> friends = asked.queryFriendship().blockingFirst();
      Check.equal(1, friends.size());
      Check.equal("asking ann", friends.get(0).getFollowee().getUsername());
      Check.equal("work", friends.get(0).getString("group"));
      LCFriendship friend = friends.get(0);
      friend.put("group", "old friends");
      friend.saveInBackground().blockingFirst();
      Check.equal("old friends", asked.friendshipQuery(false).getFirst().getString("group"));
      Check.equal("sport", asked.friendshipQuery(true).getFirst().getString("group"));
    });

    cases.add("a friend request is declined, and not made again", () -> {
      LCUser bob = Accounts.signUp("declining bob");
      LCUser ann = Accounts.signUp("declined ann");
      ann.applyFriendshipInBackground(bob, null).blockingFirst();
      LCUser asked = Accounts.logIn("declining bob");
      asked.friendshipRequestQuery(LCFriendshipRequest.STATUS_ANY, false, true).getFirst().decline().blockingFirst();
      Check.equal(1, asked.friendshipRequestQuery(LCFriendshipRequest.STATUS_DECLINED, false, true).count());
      Check.equal(0, asked.queryFriendship().blockingFirst().size());
      LCUser again = Accounts.logIn("declined ann");
      Check.equal(1, Check.thrown(LCException.class,
          () -> again.applyFriendshipInBackground(bob, null).blockingFirst()).getCode());
    });

    cases.add("a user blocks another, and takes it off the list again", () -> {
      LCUser pest = Accounts.signUp("blocked pest");
      LCUser user = Accounts.signUp("blocking user");
      user.blockFriendInBackground(pest.getObjectId()).blockingFirst();
      List<LCBlockRelation> blocked = LCUser.friendshipBlockQuery(LCBlockRelation.class).find();
      Check.equal(1, blocked.size());
      Check.equal("blocked pest", blocked.get(0).getUser().getUsername());
      Check.equal(403, Check.thrown(LCException.class,
          () -> user.followInBackground(pest.getObjectId()).blockingFirst()).getCode());
      user.unblockFriendInBackground(pest.getObjectId()).blockingFirst();
      Check.equal(0, user.friendshipBlockQuery().find().size());
    });

    cases.add("an identity token stands for the session", () -> {
      LCUser user = Accounts.signUp("identified user");
      String token = LCUser.retrieveShortTokenInBackground(user.getSessionToken()).blockingFirst().getString("identityToken");
      Check.equal(3, token.split("\\.").length);
    });
  }
}
