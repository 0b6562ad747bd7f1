import { identifier } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { Blocks } from '../messaging/admission.ts'
import { Conversations } from '../messaging/conversations.ts'
import type { DevicePushes } from '../messaging/device-pushes.ts'
import type { MessagingHooks } from '../messaging/hooks.ts'
import { Kicks } from '../messaging/kicks.ts'
import { LastMessageTimes } from '../messaging/last-message-times.ts'
import { MessageStore } from '../messaging/message-store.ts'
import { subscribersAmong } from '../messaging/messages/broadcasts.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { messagingTables } from '../messaging/messaging-tables.ts'
import { PendingWork } from '../messaging/pending-work.ts'
import { Presence } from '../messaging/presence.ts'
import { ReadCursors } from '../messaging/read-cursors.ts'
import { Missed } from '../messaging/reading/missed.ts'
import { RoomMemberships } from '../messaging/room-memberships.ts'
import { DailyClients } from '../messaging/sessions/daily-clients.ts'
import { SystemWebHook } from '../messaging/system-web-hook.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { AppParts } from './app-parts.ts'

type Parts = Pick<AppParts, 'apps' | 'database' | 'bus' | 'directory' | 'jobs' | 'alone' | 'queues' | 'counts' | 'log'>

/** Creates the cache of an app's conversations. It is created before the object store, which reports changes to it. */
export function openConversations(
  { database, bus, log: serverLog }: Parts,
  appId: string,
  schema: string,
): Conversations {
  const { temporary, silences } = messagingTables(schema)
  const conversations = identifier(schema, '_Conversation')
  const log = logOf(serverLog, appId)
  return new Conversations(appId, database, { conversations, temporary, silences }, bus, log)
}

/** Assembles the messaging of an app. */
export function openMessaging(
  { apps, database, bus, directory, jobs, alone = false, queues, counts, log: serverLog }: Parts,
  schema: string,
  objects: ObjectStore,
  conversations: Conversations,
  hooks: MessagingHooks,
  devices: DevicePushes,
): Messaging {
  const { appId } = objects
  const tables = messagingTables(schema)
  const log = logOf(serverLog, appId)
  const settings = () => apps.known(appId)!.settings.messaging
  return {
    appId,
    database,
    objects,
    tables,
    conversations,
    messages: new MessageStore(database, schema, counts?.messages),
    longPages: queues.longPages,
    readCursors: new ReadCursors(database, tables),
    kicks: new Kicks(database, tables.kicks),
    roomMemberships: new RoomMemberships(database, tables.roomMemberships),
    blocks: new Blocks(database, tables),
    missed: new Missed({ database, objects, tables }),
    dailyClients: new DailyClients(database, tables),
    presence: new Presence({
      appId,
      bus,
      directory,
      alone,
      subscribersAmong: (convId, clientIds) => subscribersAmong(database, tables.subscriptions, convId, clientIds),
      log,
      onLate: (address) => objects.limits.noteLateDeliveries(address),
    }),
    lastMessageTimes: new LastMessageTimes({
      database,
      conversations: identifier(schema, '_Conversation'),
      log,
    }),
    devices,
    hooks,
    limits: objects.limits,
    jobs,
    systemWebHook: new SystemWebHook({ appId, jobs, settings }),
    pendingWork: new PendingWork(log),
    log,
    masterKey: () => apps.known(appId)!.masterKey,
    settings,
  }
}

export async function stopMessaging({ conversations, presence, lastMessageTimes }: Messaging): Promise<void> {
  conversations.stop()
  presence.stop()
  await lastMessageTimes.stop()
}

function logOf(serverLog: Log, appId: string): Log {
  return serverLog.child({ component: 'messaging', app: appId })
}
