package homeport;

import cn.leancloud.LCException;
import cn.leancloud.LCQuery;
import cn.leancloud.LCStatus;
import cn.leancloud.LCStatusQuery;
import cn.leancloud.LCUser;
import cn.leancloud.json.JSONObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What users tell their followers, and each other in private. */
final class Statuses {
  private Statuses() {}

  static LCStatus say(String text) {
    return LCStatus.createStatus("https://example.org/picture.png", text);
  }

  static List<String> texts(List<LCStatus> statuses) {
    List<String> texts = new ArrayList<>();
    for (LCStatus status : statuses) texts.add(status.getMessage());
    return texts;
  }

  static LCUser current(String username) {
    LCUser user = Accounts.logIn(username);
    LCUser.changeCurrentUser(user, true);
    return user;
  }

  static void add(Cases cases) {
    cases.add("a status reaches the followers, who read it in pages, from either end", () -> {
      LCUser ann = Accounts.signUp("teller");
      LCUser bo = Accounts.signUp("listener");
      bo.followInBackground(ann.getObjectId()).blockingFirst();
      current("teller");
      for (String text : Arrays.asList("one", "two", "three")) {
        LCStatus sent = say(text).sendToFollowersInBackground().blockingFirst();
        Check.equal(24, sent.getObjectId().length());
      }
      bo = current("listener");
      LCStatusQuery newest = LCStatus.inboxQuery(bo, "default");
      newest.setPageSize(2);
      List<LCStatus> page = newest.nextInBackground().blockingFirst();
      Check.equal(Arrays.asList("three", "two"), texts(page));
      Check.equal("teller", page.get(0).getSource().getUsername());
      Check.equal("default", page.get(0).getInboxType());
      Check.equal(Arrays.asList("one"), texts(newest.nextInBackground().blockingFirst()));
      Check.equal(Arrays.asList(), texts(newest.nextInBackground().blockingFirst()));
      LCStatusQuery oldest = LCStatus.inboxQuery(bo, "default");
      oldest.setDirection(LCStatusQuery.PaginationDirection.OLD_TO_NEW);
      Check.equal(Arrays.asList("one", "two", "three"), texts(oldest.findInBackground().blockingFirst()));
      JSONObject counts = LCStatus.inboxQuery(bo, "default").unreadCountInBackground().blockingFirst();
      Check.equal(3, counts.getIntValue("total"));
      Check.equal(3, counts.getIntValue("unread"));
    });

    cases.add("what somebody has published is found and counted, by its id too", () -> {
      LCUser cy = Accounts.signUp("publisher");
      LCStatus first = say("first").sendToFollowersInBackground().blockingFirst();
      say("second").sendToFollowersInBackground().blockingFirst();
      Accounts.signUp("reader of all");
      LCStatusQuery query = LCStatus.statusQuery(cy);
      Check.equal(Arrays.asList("second", "first"), texts(query.findInBackground().blockingFirst()));
      Check.equal(2, LCStatus.statusQuery(cy).countInBackground().blockingFirst());
      LCStatus read = LCStatus.getStatusWithIdInBackground(first.getObjectId()).blockingFirst();
      Check.equal("first", read.getMessage());
    });

    cases.add("its source takes a status back everywhere, others take it out of their inbox", () -> {
      LCUser dan = Accounts.signUp("regrets");
      LCUser eve = Accounts.signUp("tidies");
      eve.followInBackground(dan.getObjectId()).blockingFirst();
      current("regrets");
      LCStatus wrong = say("wrong");
      wrong.sendToFollowersInBackground().blockingFirst();
      say("right").sendToFollowersInBackground().blockingFirst();
      wrong.deleteInBackground().blockingSubscribe();
      eve = current("tidies");
      List<LCStatus> got = LCStatus.inboxQuery(eve, "default").findInBackground().blockingFirst();
      Check.equal(Arrays.asList("right"), texts(got));
      got.get(0).deleteInBackground().blockingSubscribe();
      Check.equal(Arrays.asList(), texts(LCStatus.inboxQuery(eve, "default").findInBackground().blockingFirst()));
      dan = current("regrets");
      Check.equal(Arrays.asList("right"), texts(LCStatus.inboxQuery(dan, "default").findInBackground().blockingFirst()));
    });

    cases.add("a private status is read by whom it is for alone", () -> {
      LCUser fay = Accounts.signUp("confided in");
      Accounts.signUp("confides");
      LCStatus sent = say("psst");
      sent.sendPrivatelyInBackground(fay.getObjectId()).blockingFirst();
      fay = current("confided in");
      Check.equal(Arrays.asList("psst"), texts(LCStatus.inboxQuery(fay, "private").findInBackground().blockingFirst()));
      Check.equal("psst", LCStatus.getStatusWithIdInBackground(sent.getObjectId()).blockingFirst().getMessage());
      Accounts.signUp("listens at doors");
      LCException refusal = Check.thrown(
          LCException.class, () -> LCStatus.getStatusWithIdInBackground(sent.getObjectId()).blockingFirst());
      Check.equal(403, refusal.getCode());
    });

    cases.add("a status goes to those whom a query names", () -> {
      LCUser gus = Accounts.signUp("named");
      Accounts.signUp("names");
      LCQuery<LCUser> query = LCUser.getQuery();
      query.whereEqualTo("objectId", gus.getObjectId());
      say("for you").sendToUsersInBackground("news", query).blockingFirst();
      gus = current("named");
      Check.equal(Arrays.asList("for you"), texts(LCStatus.inboxQuery(gus, "news").findInBackground().blockingFirst()));
    });
  }
}
