import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll } from 'vitest'
import { Passwords } from '../../src/accounts/passwords.ts'
import { Apps, schemaOf } from '../../src/apps/apps.ts'
import { localBus } from '../../src/bus/local-bus.ts'
import { localDirectory } from '../../src/bus/local-directory.ts'
import type { Database } from '../../src/database/pool.ts'
import { identifier } from '../../src/database/sql.ts'
import { Jobs } from '../../src/jobs/jobs.ts'
import { Limiters } from '../../src/limits/limiters.ts'
import { Blocks } from '../../src/messaging/admission.ts'
import { Conversations } from '../../src/messaging/conversations.ts'
import type { DevicePush } from '../../src/messaging/device-pushes.ts'
import type { SessionEvent } from '../../src/messaging/events.ts'
import type { DecidingHook, NotifyingHook } from '../../src/messaging/hooks.ts'
import { Kicks } from '../../src/messaging/kicks.ts'
import { LastMessageTimes } from '../../src/messaging/last-message-times.ts'
import { LongPages } from '../../src/messaging/long-pages.ts'
import { MessageStore } from '../../src/messaging/message-store.ts'
import { subscribersAmong } from '../../src/messaging/messages/broadcasts.ts'
import type { Draft, Sent } from '../../src/messaging/messages/draft.ts'
import { sendMessage } from '../../src/messaging/messages/send-message.ts'
import type { Messaging } from '../../src/messaging/messaging.ts'
import { type MessagingSettings, messagingSettings } from '../../src/messaging/messaging-settings.ts'
import { messagingTables } from '../../src/messaging/messaging-tables.ts'
import { PendingWork } from '../../src/messaging/pending-work.ts'
import { type ClientSession, Presence, type PresenceDirectory } from '../../src/messaging/presence.ts'
import { ReadCursors } from '../../src/messaging/read-cursors.ts'
import { Missed } from '../../src/messaging/reading/missed.ts'
import { RoomMemberships } from '../../src/messaging/room-memberships.ts'
import { DailyClients } from '../../src/messaging/sessions/daily-clients.ts'
import { SystemWebHook } from '../../src/messaging/system-web-hook.ts'
import { MASTER } from '../../src/objects/access/caller.ts'
import { createObject } from '../../src/objects/writing/create.ts'
import { openNodeQueues } from '../../src/running-app/node-queues.ts'
import { RunningApps } from '../../src/running-app/running-app.ts'
import type { JsonObject } from '../../src/values/json.ts'
import { fileLocations } from './files.ts'
import { scratchDatabase } from './scratch-database.ts'

const silent = pino({ level: 'silent' })

/** A session that records its events. */
export interface FakeSession extends ClientSession {
  readonly events: SessionEvent[]
  /** The code and reason of its end; null while it is open. */
  ended: { readonly code: number; readonly reason: string } | null
  /** Returns the events of one kind. */
  of<Kind extends SessionEvent['kind']>(kind: Kind): Extract<SessionEvent, { kind: Kind }>[]
  /** Clears the recorded events. */
  clear(): void
  /** Simulates a lost connection. */
  leave(): void
}

interface SessionOptions {
  readonly version?: 1 | 3
  readonly tag?: string
  readonly deviceId?: string
  readonly openedAt?: number
}

/** The messaging of an app on one node. */
export interface MessagingNode {
  readonly messaging: Messaging
  connect(clientId: string, options?: SessionOptions): FakeSession
  /** Sends a text in a session, or as the app's back end in a client's name. */
  send(from: ClientSession | string, convId: string, content: string, changes?: Partial<Draft>): Promise<Sent>
}

/** A push sent to devices by messaging. */
export interface SentPush extends DevicePush {
  /** null: all devices */
  readonly clients: readonly string[] | null
}

export interface MessagingBench extends MessagingNode {
  /** The pushes to devices so far. */
  readonly pushes: SentPush[]
  readonly database: Database
  /** The apps as opened by a server; the messaging of a node here is separate. */
  readonly running: RunningApps
  /** Not started: tests that need background work start it. */
  readonly jobs: Jobs
  /** The responses of the app's cloud code by hook; other hooks do not exist. */
  readonly hooks: Map<DecidingHook | NotifyingHook, (input: JsonObject) => JsonObject>
  configure(settings: Partial<MessagingSettings>): void
  /** Creates another node on the same database. */
  anotherNode(): MessagingNode
  /**
   * Creates a conversation through the object store.
   * @returns its id
   */
  conversation(members: readonly string[], fields?: JsonObject): Promise<string>
}

/**
 * Creates the messaging of a separate app for the test file. Must be called at its top level.
 * @param options.alone whether `running` has no other nodes
 */
export async function makeMessaging({ alone = false } = {}): Promise<MessagingBench> {
  const database = await scratchDatabase()
  const bus = localBus()
  const apps = new Apps(database)
  const jobs = new Jobs(database, silent)
  const running = new RunningApps({
    queues: openNodeQueues(),
    ...fileLocations(),
    database,
    apps,
    bus,
    directory: localDirectory(),
    jobs,
    passwords: new Passwords(),
    limiters: new Limiters(),
    alone,
    mailer: { send: async () => {} },
    outbox: '/nonexistent',
    log: silent,
  })
  const { id: appId } = await apps.create('messaging', 'owner@example.org')
  const { objects } = (await running.open(appId))!
  const schema = schemaOf(appId)
  const tables = messagingTables(schema)
  const hooks: MessagingBench['hooks'] = new Map()
  const whereabouts: PresenceDirectory[] = []
  const stops: (() => Promise<void>)[] = []
  let settings = messagingSettings.parse({})
  const pushes: SentPush[] = []

  afterAll(async () => {
    for (const stop of stops) await stop()
    await running.stop()
  })

  function node(): MessagingNode {
    const conversations = new Conversations(
      appId,
      database,
      {
        conversations: identifier(schema, '_Conversation'),
        temporary: tables.temporary,
        silences: tables.silences,
      },
      bus,
      silent,
    )
    const presence = new Presence({
      appId,
      bus,
      directory: joined(whereabouts),
      alone: false,
      subscribersAmong: (convId, clientIds) => subscribersAmong(database, tables.subscriptions, convId, clientIds),
      log: silent,
    })
    const lastMessageTimes = new LastMessageTimes({
      database,
      conversations: identifier(schema, '_Conversation'),
      log: silent,
    })
    stops.push(async () => {
      conversations.stop()
      presence.stop()
      await lastMessageTimes.stop()
    })
    const messaging: Messaging = {
      appId,
      database,
      objects,
      tables,
      conversations,
      messages: new MessageStore(database, schema),
      longPages: new LongPages(),
      readCursors: new ReadCursors(database, tables),
      kicks: new Kicks(database, tables.kicks),
      roomMemberships: new RoomMemberships(database, tables.roomMemberships),
      blocks: new Blocks(database, tables),
      missed: new Missed({ database, objects, tables }),
      dailyClients: new DailyClients(database, tables),
      lastMessageTimes,
      presence,
      devices: {
        toClients: async (clients, push) => void pushes.push({ ...push, clients }),
        toEveryone: async (push) => void pushes.push({ ...push, clients: null }),
        bind: async () => {},
        unbind: async () => {},
      },
      hooks: {
        has: (hook) => hooks.has(hook),
        decide: async (hook, input) => hooks.get(hook)?.(input) ?? {},
        notify: (hook, input) => void hooks.get(hook)?.(input),
      },
      limits: objects.limits,
      jobs,
      systemWebHook: new SystemWebHook({ appId, jobs, settings: () => settings }),
      pendingWork: new PendingWork(silent),
      log: silent,
      masterKey: () => 'the master key of the tests',
      settings: () => settings,
    }
    return {
      messaging,
      connect(clientId, options = {}) {
        const session = fakeSession(clientId, options, () => presence.remove(session))
        presence.add(session)
        return session
      },
      send(from, convId, content, changes = {}) {
        const session = typeof from === 'string' ? null : from
        const clientId = typeof from === 'string' ? from : from.clientId
        return sendMessage(messaging, { clientId, session, ip: null, sync: true }, draftOf(convId, content, changes))
      },
    }
  }

  return {
    ...node(),
    pushes,
    database,
    running,
    jobs,
    hooks,
    configure: (changes) => {
      settings = { ...settings, ...changes }
    },
    anotherNode: node,
    conversation: async (members, fields = {}) =>
      (await createObject(objects, '_Conversation', { m: members, c: members[0] ?? null, ...fields }, MASTER)).id,
  }
}

/** Returns a draft of a text. */
export function draftOf(convId: string, content: string, changes: Partial<Draft> = {}): Draft {
  const plain = { bin: false, transient: false, receipt: false, token: null, mentionAll: false, mentions: [] }
  return { convId, content, ...plain, pushData: null, ...changes }
}

function fakeSession(clientId: string, options: SessionOptions, leave: () => void): FakeSession {
  const events: SessionEvent[] = []
  return {
    id: randomUUID(),
    clientId,
    tag: options.tag ?? null,
    deviceId: options.deviceId ?? null,
    openedAt: options.openedAt ?? Date.now(),
    version: options.version ?? 3,
    events,
    ended: null,
    of: <Kind extends SessionEvent['kind']>(kind: Kind) =>
      events.filter((event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind),
    clear: () => void events.splice(0),
    leave,
    push: (event) => void events.push(event),
    end(code, reason) {
      this.ended = { code, reason }
    },
  }
}

/** Combines the presence data of single nodes: queries return results of all nodes. */
function joined(nodes: PresenceDirectory[]): PresenceDirectory {
  const online = new Set<string>()
  const counts = new Map<string, number>()
  const members = new Map<string, Set<string>>()
  const membersOf = (group: string) => members.get(group) ?? new Set()
  const here: PresenceDirectory = {
    online: (_, clientId) => void online.add(clientId),
    offline: (_, clientId) => void online.delete(clientId),
    whoIsOnline: async (_, clientIds) => new Set(clientIds.filter((clientId) => online.has(clientId))),
    countOnline: async () => online.size,
    listOnline: async (_, after, limit) =>
      [...online]
        .filter((id) => id > after)
        .sort()
        .slice(0, limit),
    setCount: (_, key, count) => void counts.set(key, count),
    sumCount: async (_, key) => counts.get(key) ?? 0,
    entered: (_, group, clientId) => void members.set(group, new Set([...membersOf(group), clientId])),
    left: (_, group, clientId) => void membersOf(group).delete(clientId),
    someOnOtherNodes: async (_, group, limit) => [...membersOf(group)].slice(0, limit),
  }
  nodes.push(here)
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return {
    ...here,
    whoIsOnline: async (appId, clientIds) =>
      new Set((await Promise.all(nodes.map((node) => node.whoIsOnline(appId, clientIds)))).flatMap((ids) => [...ids])),
    countOnline: async (appId) => sum(await Promise.all(nodes.map((node) => node.countOnline(appId)))),
    sumCount: async (appId, key) => sum(await Promise.all(nodes.map((node) => node.sumCount(appId, key)))),
    someOnOtherNodes: async (appId, group, limit) => {
      const others = nodes.filter((node) => node !== here)
      return (await Promise.all(others.map((node) => node.someOnOtherNodes(appId, group, limit)))).flat()
    },
  }
}
