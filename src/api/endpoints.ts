import { batchSave } from './1.1/batch/save.ts'
import { batch } from './1.1/batch.ts'
import { bigquery } from './1.1/bigquery.ts'
import { typedCall } from './1.1/call.ts'
import { captchaImage } from './1.1/captchaImage.ts'
import { changePhoneNumber } from './1.1/changePhoneNumber.ts'
import { memberInfos } from './1.1/classes/_ConversationMemberInfo.ts'
import { followeeObjects } from './1.1/classes/_Followee.ts'
import { followerObjects } from './1.1/classes/_Follower.ts'
import { friendshipRequestObjects } from './1.1/classes/_FriendshipRequest.ts'
import { classes } from './1.1/classes.ts'
import { cloudQuery } from './1.1/cloudQuery.ts'
import { date } from './1.1/date.ts'
import { cloudQueueTasks } from './1.1/engine/cloud-queue/tasks.ts'
import { exportData } from './1.1/exportData.ts'
import { fileCallback } from './1.1/fileCallback.ts'
import { files } from './1.1/files.ts'
import { fileTokens } from './1.1/fileTokens.ts'
import { functions } from './1.1/functions.ts'
import { installations } from './1.1/installations.ts'
import { pingLiveQuery } from './1.1/LiveQuery/subscribe/ping.ts'
import { subscribeLiveQuery } from './1.1/LiveQuery/subscribe.ts'
import { unsubscribeLiveQuery } from './1.1/LiveQuery/unsubscribe.ts'
import { ranks } from './1.1/leaderboard/leaderboards/ranks.ts'
import { leaderboards } from './1.1/leaderboard/leaderboards.ts'
import { statistics } from './1.1/leaderboard.ts'
import { login } from './1.1/login.ts'
import { notifications } from './1.1/notifications.ts'
import { pushDevices } from './1.1/push/devices.ts'
import { push } from './1.1/push.ts'
import { qiniu } from './1.1/qiniu.ts'
import { requestCaptcha } from './1.1/requestCaptcha.ts'
import { requestChangePhoneNumber } from './1.1/requestChangePhoneNumber.ts'
import { requestEmailVerify } from './1.1/requestEmailVerify.ts'
import { requestLoginSmsCode } from './1.1/requestLoginSmsCode.ts'
import { requestMobilePhoneVerify } from './1.1/requestMobilePhoneVerify.ts'
import { requestPasswordReset } from './1.1/requestPasswordReset.ts'
import { requestPasswordResetBySmsCode } from './1.1/requestPasswordResetBySmsCode.ts'
import { requestSmsCode } from './1.1/requestSmsCode.ts'
import { resetPassword } from './1.1/resetPassword.ts'
import { resetPasswordBySmsCode } from './1.1/resetPasswordBySmsCode.ts'
import { roles } from './1.1/roles.ts'
import { broadcasts as oldBroadcasts } from './1.1/rtm/broadcast.ts'
import { kick } from './1.1/rtm/client/kick.ts'
import { oldBlacklist } from './1.1/rtm/conversation/blacklist.ts'
import { subscribed } from './1.1/rtm/conversation/subscribed.ts'
import { oldSubscribers } from './1.1/rtm/conversation/subscribers.ts'
import { subscription } from './1.1/rtm/conversation/subscription.ts'
import { messageLogs } from './1.1/rtm/messages/logs.ts'
import { unreadMessages } from './1.1/rtm/messages/unread.ts'
import { oldMessages } from './1.1/rtm/messages.ts'
import { rtmNotifications } from './1.1/rtm/notifications.ts'
import { online } from './1.1/rtm/online.ts'
import { patchMessage } from './1.1/rtm/patch/message.ts'
import { rtmSign } from './1.1/rtm/sign.ts'
import { transientGroup } from './1.1/rtm/transient_group.ts'
import { scanClasses } from './1.1/scan/classes.ts'
import { scheduledPushMessages } from './1.1/scheduledPushMessages.ts'
import { schemas } from './1.1/schemas.ts'
import { searchAnalyze } from './1.1/search/analyze.ts'
import { searchMlt } from './1.1/search/mlt.ts'
import { searchSelect } from './1.1/search/select.ts'
import { sendPolicy } from './1.1/statistics/apps.ts'
import { collectedStats } from './1.1/stats.ts'
import { statuses } from './1.1/statuses.ts'
import { inboxCount } from './1.1/subscribe/statuses/count.ts'
import { inboxRemoval } from './1.1/subscribe/statuses/inbox.ts'
import { resetInboxCount } from './1.1/subscribe/statuses/resetUnreadCount.ts'
import { inboxStatuses } from './1.1/subscribe/statuses.ts'
import { notificationTable } from './1.1/tables/Notifications.ts'
import { followees } from './1.1/users/followees.ts'
import { followers } from './1.1/users/followers.ts'
import { followersAndFollowees } from './1.1/users/followersAndFollowees.ts'
import { friendship } from './1.1/users/friendship.ts'
import { friendshipRequests } from './1.1/users/friendshipRequests.ts'
import { mutualFollowees } from './1.1/users/mutualFollowees.ts'
import { friendBlocklist } from './1.1/users/self/friendBlocklist.ts'
import { friends } from './1.1/users/self/friends.ts'
import { users } from './1.1/users.ts'
import { usersByMobilePhone } from './1.1/usersByMobilePhone.ts'
import { verifyCaptcha } from './1.1/verifyCaptcha.ts'
import { verifyEmail } from './1.1/verifyEmail.ts'
import { verifyMobilePhone } from './1.1/verifyMobilePhone.ts'
import { verifySmsCode } from './1.1/verifySmsCode.ts'
import { allConversations } from './1.2/rtm/all-conversations.ts'
import { broadcasts } from './1.2/rtm/broadcasts.ts'
import { chatrooms } from './1.2/rtm/chatrooms.ts'
import { clients } from './1.2/rtm/clients.ts'
import { conversations } from './1.2/rtm/conversations.ts'
import { messages } from './1.2/rtm/messages.ts'
import { serviceConversations } from './1.2/rtm/service-conversations.ts'
import { stats } from './1.2/rtm/stats.ts'
import { appRouter } from './2/route.ts'
import { administrators } from './admin/administrators.ts'
import { adminAlerts } from './admin/alerts.ts'
import { adminAppApi } from './admin/apps/api.ts'
import { adminClassCounts } from './admin/apps/class-counts.ts'
import { adminCount } from './admin/apps/classes/count.ts'
import { adminClassFields } from './admin/apps/classes/fields.ts'
import { adminFind } from './admin/apps/classes/find.ts'
import { adminClassIndexes } from './admin/apps/classes/indexes.ts'
import { adminClassObjects } from './admin/apps/classes/objects.ts'
import { adminRestore } from './admin/apps/classes/restore.ts'
import { adminSlowQueries } from './admin/apps/classes/slow-queries.ts'
import { adminClasses } from './admin/apps/classes.ts'
import { clientsOnline, onlineClients } from './admin/apps/clients/online.ts'
import { adminConversationMessages } from './admin/apps/conversations/messages.ts'
import { adminSilences } from './admin/apps/conversations/silences.ts'
import { adminEngineFunction } from './admin/apps/engine/functions.ts'
import { refreshEngine } from './admin/apps/engine/refresh.ts'
import { adminEngine } from './admin/apps/engine.ts'
import { adminExport } from './admin/apps/export.ts'
import { adminFigures } from './admin/apps/figures.ts'
import { adminFilesCheck } from './admin/apps/files/check.ts'
import { adminFileBytes, adminFiles } from './admin/apps/files.ts'
import { adminImports } from './admin/apps/imports.ts'
import { adminLiveQueries } from './admin/apps/live-queries.ts'
import { checkMoveSource } from './admin/apps/moves/check.ts'
import { adminMoveBytes, adminMoves } from './admin/apps/moves.ts'
import { adminObjects } from './admin/apps/objects.ts'
import { adminPulls } from './admin/apps/pulls.ts'
import { checkPushCredential } from './admin/apps/push-credentials/check.ts'
import { pushCredentials } from './admin/apps/push-credentials.ts'
import { pushAudience } from './admin/apps/pushes/audience.ts'
import { adminPushes } from './admin/apps/pushes.ts'
import { adminRewrittenUrls } from './admin/apps/rewritten-urls.ts'
import { adminSchedules } from './admin/apps/schedules.ts'
import { rebuildSearch } from './admin/apps/search/rebuild.ts'
import { adminSearch } from './admin/apps/search.ts'
import { adminSettings } from './admin/apps/settings.ts'
import { adminTasks } from './admin/apps/tasks.ts'
import { temporaryConversations } from './admin/apps/temporary-conversations.ts'
import { adminUsers } from './admin/apps/users.ts'
import { adminVerifications } from './admin/apps/verifications.ts'
import { adminApps } from './admin/apps.ts'
import { adminAudit } from './admin/audit.ts'
import { adminBackups } from './admin/backups.ts'
import { adminDoctor } from './admin/doctor.ts'
import { adminHealthHistory } from './admin/health/history.ts'
import { adminHealth } from './admin/health.ts'
import { adminJobs } from './admin/jobs.ts'
import { adminLog } from './admin/log.ts'
import { adminLogin } from './admin/login.ts'
import { adminLogout } from './admin/logout.ts'
import { adminMe } from './admin/me.ts'
import { describeManagement } from './admin/openapi.json.ts'
import { download } from './files.ts'
import { healthIdentity } from './health/identity.ts'
import { health } from './health.ts'
import { metrics } from './metrics.ts'
import type { Route } from './route.ts'
import { tapSupportIdentity } from './storage/1.1/users/tap-support/identity.ts'
import type { ByteRoute } from './transfer/byte-route.ts'
import { uploads } from './uploads.ts'
import { realtimeRouter } from './v1/route.ts'

/** Every endpoint of the server. The path of an endpoint's file is the path of its URL, without its parameters. */
export const endpoints: readonly Route[] = [
  ...classes,
  memberInfos,
  ...users,
  ...friendship,
  followers,
  followees,
  followersAndFollowees,
  mutualFollowees,
  ...friendshipRequests,
  friends,
  ...friendBlocklist,
  ...followeeObjects,
  ...followerObjects,
  ...friendshipRequestObjects,
  ...login,
  requestEmailVerify,
  ...verifyEmail,
  requestPasswordReset,
  ...resetPassword,
  usersByMobilePhone,
  requestSmsCode,
  verifySmsCode,
  requestMobilePhoneVerify,
  verifyMobilePhone,
  requestLoginSmsCode,
  requestPasswordResetBySmsCode,
  ...resetPasswordBySmsCode,
  requestChangePhoneNumber,
  changePhoneNumber,
  requestCaptcha,
  verifyCaptcha,
  captchaImage,
  ...roles,
  ...files,
  fileTokens,
  fileCallback,
  qiniu,
  ...installations,
  ...schemas,
  ...exportData,
  scanClasses,
  cloudQuery,
  searchSelect,
  searchMlt,
  searchAnalyze,
  batch,
  batchSave,
  date,
  functions,
  typedCall,
  ...cloudQueueTasks,
  push,
  pushDevices,
  ...notifications,
  notificationTable,
  ...scheduledPushMessages,
  ...statuses,
  inboxStatuses,
  inboxCount,
  inboxRemoval,
  resetInboxCount,
  ...leaderboards,
  ...ranks,
  ...statistics,
  subscribeLiveQuery,
  pingLiveQuery,
  ...unsubscribeLiveQuery,
  rtmSign,
  ...messageLogs,
  ...unreadMessages,
  online,
  ...transientGroup,
  ...subscription,
  subscribed,
  ...oldSubscribers,
  ...oldBlacklist,
  kick,
  patchMessage,
  rtmNotifications,
  ...oldMessages,
  ...oldBroadcasts,
  ...conversations,
  ...chatrooms,
  ...serviceConversations,
  ...clients,
  messages,
  allConversations,
  ...broadcasts,
  stats,
  ...bigquery,
  collectedStats,
  sendPolicy,
  tapSupportIdentity,
  appRouter,
  realtimeRouter,
  ...adminLogin,
  adminLogout,
  ...adminMe,
  ...administrators,
  adminAudit,
  ...adminBackups,
  describeManagement(
    () => endpoints,
    () => byteEndpoints,
  ),
  adminDoctor,
  adminHealth,
  ...adminAlerts,
  adminHealthHistory,
  ...adminJobs,
  adminLog,
  ...adminApps,
  ...adminSettings,
  ...adminAppApi,
  ...adminClasses,
  adminClassFields,
  ...adminClassIndexes,
  adminClassObjects,
  adminSlowQueries,
  adminFigures,
  adminClassCounts,
  adminCount,
  adminFind,
  adminRestore,
  ...adminFiles,
  ...adminImports,
  ...adminRewrittenUrls,
  ...adminPulls,
  ...adminMoves,
  checkMoveSource,
  adminObjects,
  ...adminVerifications,
  adminFilesCheck,
  ...adminUsers,
  clientsOnline,
  onlineClients,
  adminConversationMessages,
  adminSilences,
  ...temporaryConversations,
  ...adminPushes,
  pushAudience,
  pushCredentials,
  checkPushCredential,
  adminEngine,
  adminEngineFunction,
  refreshEngine,
  adminTasks,
  adminLiveQueries,
  adminSchedules,
  adminSearch,
  rebuildSearch,
  health,
  healthIdentity,
  metrics,
]

/** The endpoints that receive or return bytes unchanged. */
export const byteEndpoints: readonly ByteRoute[] = [
  download,
  ...uploads,
  adminExport,
  adminFileBytes,
  ...adminMoveBytes,
]
