package homeport;

import cn.leancloud.LCException;
import cn.leancloud.LCLeaderboard;
import cn.leancloud.LCLeaderboard.LCLeaderboardOrder;
import cn.leancloud.LCLeaderboard.LCLeaderboardUpdateStrategy;
import cn.leancloud.LCLeaderboard.LCLeaderboardVersionChangeInterval;
import cn.leancloud.LCLeaderboardResult;
import cn.leancloud.LCRanking;
import cn.leancloud.LCStatistic;
import cn.leancloud.LCUser;
import cn.leancloud.core.LeanCloud;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Boards, what users have reached in them, and their ranks. */
final class Leaderboards {
  private Leaderboards() {}

  /** A board of users, made by the master key, which is put away again. */
  static LCLeaderboard board(String name, LCLeaderboardOrder order, LCLeaderboardUpdateStrategy strategy) {
    LeanCloud.setMasterKey(Server.MASTER_KEY);
    LCLeaderboard made = LCLeaderboard.create(name, order, strategy, LCLeaderboardVersionChangeInterval.Never).blockingFirst();
    LeanCloud.setMasterKey(null);
    return made;
  }

  /** Signs a user up, who then has this value. */
  static LCUser reach(String username, String board, double value) {
    LCUser user = Accounts.signUp(username);
    LCLeaderboard.updateStatistic(user, Collections.singletonMap(board, value)).blockingFirst();
    return user;
  }

  static double reached(LCUser user, String board) {
    List<LCStatistic> found = LCLeaderboard.getUserStatistics(user, Arrays.asList(board)).blockingFirst().getResults();
    Check.equal(1, found.size());
    return found.get(0).getStatisticValue();
  }

  /** Ranks, names and values, in the order of the answer. */
  static List<String> shown(LCLeaderboardResult result) {
    List<String> shown = new ArrayList<>();
    for (LCRanking one : result.getResults())
      shown.add(one.getRank() + " " + one.getUser().getUsername() + " " + one.getStatisticValue());
    return shown;
  }

  static void add(Cases cases) {
    cases.add("a board is made with the master key alone, and found by its name", () -> {
      Check.that(Check.thrown(LCException.class, () -> LCLeaderboard.create("java_refused", LCLeaderboardOrder.Descending,
          LCLeaderboardUpdateStrategy.Better, LCLeaderboardVersionChangeInterval.Week).blockingFirst())
          .getMessage().contains("master key"), "it was not said that the master key is needed");
      LCLeaderboard made = board("java_made", LCLeaderboardOrder.Ascending, LCLeaderboardUpdateStrategy.Last);
      Check.equal("java_made", made.getStatisticName());
      LCLeaderboard found = LCLeaderboard.fetchByName("java_made").blockingFirst();
      Check.equal(LCLeaderboardOrder.Ascending, found.getOrder());
      Check.equal(LCLeaderboardUpdateStrategy.Last, found.getUpdateStrategy());
      Check.equal(LCLeaderboardVersionChangeInterval.Never, found.getVersionChangeInterval());
      Check.equal(0, found.getVersion());
      Check.equal(2100, Check.thrown(LCException.class,
          () -> LCLeaderboard.fetchByName("java_none").blockingFirst()).getCode());
    });

    cases.add("a user's value becomes the better one, or what it is told to be", () -> {
      board("java_better", LCLeaderboardOrder.Descending, LCLeaderboardUpdateStrategy.Better);
      LCUser user = reach("better player", "java_better", 10);
      LCLeaderboard.updateStatistic(user, Collections.singletonMap("java_better", 7.5)).blockingFirst();
      Check.equal(10, reached(user, "java_better"));
      LCLeaderboard.updateStatistic(user, Collections.singletonMap("java_better", 7.5), true).blockingFirst();
      Check.equal(7.5, reached(user, "java_better"));
      Accounts.signUp("envious player");
      // With the user's own object the client would send the user's own session token.
      LCUser other = LCUser.createWithoutData(LCUser.class, user.getObjectId());
      Check.equal(403, Check.thrown(LCException.class, () ->
          LCLeaderboard.updateStatistic(other, Collections.singletonMap("java_better", 1.0), true).blockingFirst()).getCode());
      Check.equal(7.5, reached(user, "java_better"));
    });

    cases.add("ranks come in order, in pages, and around a user", () -> {
      LCLeaderboard board = board("java_ranks", LCLeaderboardOrder.Descending, LCLeaderboardUpdateStrategy.Better);
      LCUser[] players = new LCUser[5];
      for (int number = 0; number < players.length; number++)
        players[number] = reach("ranked" + number, "java_ranks", number == 3 ? 20 : number * 10);
      List<String> keys = Arrays.asList("username");
      Check.equal(Arrays.asList("0 ranked4 40.0", "1 ranked2 20.0"), shown(board.getResults(0, 2, keys, null).blockingFirst()));
      LCLeaderboardResult rest = board.getResults(2, 10, keys, null, true).blockingFirst();
      // Of equal values the one that was reached first stands in front.
      Check.equal(Arrays.asList("2 ranked3 20.0", "3 ranked1 10.0", "4 ranked0 0.0"), shown(rest));
      Check.equal(5, rest.getCount());
      Check.equal(Arrays.asList("2 ranked3 20.0", "3 ranked1 10.0", "4 ranked0 0.0"),
          shown(board.getAroundResults(players[1].getObjectId(), 0, 3, keys, null).blockingFirst()));
      List<String> group = Arrays.asList(players[0].getObjectId(), players[2].getObjectId(), players[4].getObjectId());
      Check.equal(Arrays.asList("0 ranked4 40.0", "1 ranked2 20.0", "2 ranked0 0.0"),
          shown(board.getGroupResults(group, 0, 10, keys, null).blockingFirst()));
    });

    cases.add("a reset begins the next version, which is empty", () -> {
      LCLeaderboard board = board("java_reset", LCLeaderboardOrder.Descending, LCLeaderboardUpdateStrategy.Sum);
      LCUser user = reach("reset player", "java_reset", 3);
      LCLeaderboard.updateStatistic(user, Collections.singletonMap("java_reset", 4.0)).blockingFirst();
      Check.equal(7, reached(user, "java_reset"));
      Check.thrown(LCException.class, () -> board.reset().blockingFirst());
      LeanCloud.setMasterKey(Server.MASTER_KEY);
      Check.equal(true, board.reset().blockingFirst());
      LeanCloud.setMasterKey(null);
      Check.equal(1, LCLeaderboard.fetchByName("java_reset").blockingFirst().getVersion());
      Check.equal(0, board.getResults(0, 10, null, null).blockingFirst().getResults().size());
      LCLeaderboard former = LCLeaderboard.createWithoutData("java_reset");
      former.setVersion(0);
      Check.equal(Arrays.asList("0 reset player 7.0"),
          shown(former.getResults(0, 10, Arrays.asList("username"), null).blockingFirst()));
      LeanCloud.setMasterKey(Server.MASTER_KEY);
      Check.equal(true, board.destroy().blockingFirst());
      Check.equal(2100, Check.thrown(LCException.class,
          () -> LCLeaderboard.fetchByName("java_reset").blockingFirst()).getCode());
    });
  }
}
