import type { Accounts } from '../accounts/accounts.ts'
import { userForHooks } from '../accounts/user-for-hooks.ts'
import { userRules } from '../accounts/user-rules.ts'
import { AppChangeChannel } from '../apps/app-change-channel.ts'
import { type AppRecord, schemaOf } from '../apps/apps.ts'
import { migrateApp } from '../database/migrate.ts'
import type { Executor } from '../database/pool.ts'
import { identifier } from '../database/sql.ts'
import { FILE } from '../files/files.ts'
import { classHooks } from '../hooks/class-hooks.ts'
import { Engine } from '../hooks/engine.ts'
import { messagingHooks } from '../hooks/messaging-hooks.ts'
import type { AppSchedules } from '../hooks/schedules-table.ts'
import type { TaskQueue } from '../hooks/task-queue.ts'
import { userHooks } from '../hooks/user-hooks.ts'
import { type Leaderboards, openLeaderboards } from '../leaderboards/leaderboards.ts'
import { AppLimits } from '../limits/app-limits.ts'
import type { LiveQueries } from '../live-query/live-queries.ts'
import { openLiveQueries } from '../live-query/open.ts'
import { endQueriesOf } from '../live-query/query-table.ts'
import { SubscriberApps } from '../live-query/subscriber-apps.ts'
import { Watcher } from '../live-query/watcher.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { CONVERSATION, conversationRules } from '../messaging/records/conversation-class.ts'
import { AutomaticIndexes } from '../objects/classes/automatic-indexes.ts'
import { ClassRegistry } from '../objects/classes/classes.ts'
import { CoalescedStatements } from '../objects/statements/coalesced-statements.ts'
import { CoalescedUpdates } from '../objects/statements/coalesced-updates.ts'
import type { ClassRules, ObjectStore } from '../objects/store.ts'
import { clientPushes } from '../push/delivery/client-pushes.ts'
import { installationRules } from '../push/installations/installation-rules.ts'
import { INSTALLATION } from '../push/push.ts'
import { roleRules } from '../roles/role-rules.ts'
import { Roles } from '../roles/roles.ts'
import { SemaphoreByKey } from '../scheduling/semaphore-by-key.ts'
import { type OpenSearch, openSearch } from '../search/open.ts'
import { userDeleted } from '../social/friendship/forget-user.ts'
import type { Friendship } from '../social/friendship/friendship.ts'
import { friendshipRules } from '../social/friendship/friendship-rules.ts'
import { statusRules } from '../social/statuses/status-rules.ts'
import { STATUS } from '../social/statuses/statuses.ts'
import { openAccounts } from './app-accounts.ts'
import { fileRulesOf, type OpenFiles, openFiles } from './app-files.ts'
import { openConversations, openMessaging, stopMessaging } from './app-messaging.ts'
import type { AppParts } from './app-parts.ts'
import { type OpenPush, openPush, stopPush } from './app-push.ts'
import { type OpenStatuses, openStatuses } from './app-statuses.ts'

/** An opened app: its current record and its parts. */
export interface RunningApp {
  readonly id: string
  /** The app's current keys and settings. */
  readonly record: AppRecord
  readonly limits: AppLimits
  readonly objects: ObjectStore
  readonly accounts: Accounts
  readonly roles: Roles
  readonly friendship: Friendship
  readonly messaging: Messaging
  readonly push: OpenPush
  readonly files: OpenFiles
  readonly statuses: OpenStatuses
  readonly leaderboards: Leaderboards
  readonly liveQueries: LiveQueries
  readonly search: OpenSearch
  /** The app's cloud code, with its scheduled and queued functions. */
  readonly engine: Engine
  readonly schedules: AppSchedules
  readonly taskQueue: TaskQueue
}

/** Opens apps at their first use and keeps them open. */
export class RunningApps {
  readonly #parts: AppParts
  readonly #opened = new Map<string, RunningApp>()
  readonly #opening = new Map<string, Promise<RunningApp>>()
  readonly #appChanges: AppChangeChannel
  /** Finds the app of live query clients that do not send its id. */
  readonly subscriberApps: SubscriberApps

  constructor(parts: AppParts) {
    const { database, apps, bus, alone = false, log } = parts
    this.#parts = parts
    this.#appChanges = new AppChangeChannel({
      bus,
      alone,
      log: log.child({ component: 'apps' }),
      readApps: async () => {
        await apps.reload()
        this.#forgetDeleted()
      },
      readClasses: (id) => this.#readClasses(id),
    })
    apps.whenChanged(() => this.#appChanges.publishApps())
    this.subscriberApps = new SubscriberApps({ database, bus, alone, log })
  }

  /** Returns the app if it is open: the fast path of almost every request. */
  opened(id: string): RunningApp | undefined {
    return this.#opened.get(id)
  }

  /** Returns the open apps. */
  all(): readonly RunningApp[] {
    return [...this.#opened.values()]
  }

  /** @returns undefined when the app does not exist */
  async open(id: string): Promise<RunningApp | undefined> {
    const opened = this.#opened.get(id)
    if (opened) return opened
    if (!(await this.#parts.apps.find(id))) return undefined
    let opening = this.#opening.get(id)
    if (!opening) {
      opening = this.#start(id).finally(() => this.#opening.delete(id))
      this.#opening.set(id, opening)
    }
    return opening
  }

  forget(id: string): void {
    const app = this.#opened.get(id)
    this.#opened.delete(id)
    this.#appChanges.forget(id)
    if (!app) return
    stopParts(app).catch((error) => {
      this.#parts.log.child({ component: 'apps' }).error({ app: id, error }, 'an app was not stopped entirely')
    })
  }

  /** Closes deleted apps, and reloads the classes of the others if another node has changed them. */
  async refresh(): Promise<void> {
    this.#forgetDeleted()
    for (const app of this.all()) await app.objects.classes.refreshIfChanged()
  }

  /**
   * Reloads the state of an app after one of its tables was found missing.
   * @returns whether the app still exists
   */
  async lookAgain(app: RunningApp): Promise<boolean> {
    await this.#parts.apps.reload()
    this.#forgetDeleted()
    if (!this.#parts.apps.known(app.id)) return false
    await app.objects.classes.refresh()
    return true
  }

  #forgetDeleted(): void {
    for (const { id } of this.all()) if (!this.#parts.apps.known(id)) this.forget(id)
  }

  /**
   * Reloads the classes of an app that another node has changed. Waits for an app that is being opened, because it may
   * have read its classes before the change.
   */
  async #readClasses(id: string): Promise<void> {
    const app = this.#opened.get(id) ?? (await this.#opening.get(id))
    await app?.objects.classes.refreshIfChanged()
  }

  async stop(): Promise<void> {
    this.#appChanges.stop()
    this.subscriberApps.stop()
    await Promise.all(this.all().map(stopParts))
  }

  async #start(id: string): Promise<RunningApp> {
    // The app is charged for the statements of its parts.
    const parts = { ...this.#parts, database: this.#parts.database.forApp(id) }
    const { database, apps, bus, jobs, limiters, queues, log } = parts
    const schema = schemaOf(id)
    await migrateApp(database, id, schema)
    const limits = new AppLimits(id, limiters, () => apps.known(id)?.settings.limits)
    const classes = new ClassRegistry(database, schema, () => this.#appChanges.publishClasses(id))
    await classes.open()
    const roles = new Roles(database, schema, bus, log.child({ component: 'roles', app: id }))
    const conversations = openConversations(parts, id, schema)
    let files: OpenFiles | undefined
    let statuses: OpenStatuses | undefined
    const rules = new Map<string, ClassRules>([
      [
        '_User',
        userRules(
          identifier(schema, '$credentials'),
          () => apps.known(id)!.settings.accounts.ownProfileNeedsPermission,
        ),
      ],
      ['_Role', roleRules(() => void roles.forgetAll())],
      [FILE, fileRulesOf(parts, id, () => files)],
      [INSTALLATION, installationRules],
      [
        STATUS,
        statusRules({
          hasDefaultAcl: () => (classes.get(STATUS)?.defaultAcl ?? null) !== null,
          changed: () => statuses?.sweep.wake(),
        }),
      ],
      [CONVERSATION, conversationRules(conversations, () => apps.known(id)!.settings.messaging)],
      ...friendshipRules,
    ])
    const indexes = new AutomaticIndexes(database, schema, log.child({ component: 'objects', app: id }))
    await indexes.open()
    const engine = new Engine({
      appId: id,
      keys: () => apps.known(id)!,
      // The last clients may disconnect after the app was deleted.
      settings: () => apps.known(id)?.settings.engine ?? {},
      ...(!parts.alone && { bus }),
      ...(parts.counts && { counts: parts.counts.engineFailures }),
      log,
    })
    const userOf = (userId: string) => userForHooks(accounts, userId)
    let liveQueries: LiveQueries | undefined
    let search: OpenSearch | undefined
    const objects: ObjectStore = {
      appId: id,
      database,
      classes,
      coalesced: new CoalescedStatements(database),
      updates: new CoalescedUpdates(database),
      indexes,
      rules,
      relations: identifier(schema, '$relations'),
      scans: identifier(schema, '$scans'),
      hooks: classHooks({ appId: id, engine, jobs, userOf }),
      watch: new Watcher(() => liveQueries),
      limits,
      results: queues.results,
      lastWrites: new Map(),
      openedAt: new Date().toISOString(),
      wrote: (className) => search?.indexer.wrote(className),
      settings: () => apps.known(id)!.settings.storage,
    }
    const rolesOf = (userId: string) => roles.of(userId)
    liveQueries = await openLiveQueries({
      objects,
      secret: () => apps.known(id)!.masterKey,
      schema,
      bus,
      alone: parts.alone ?? false,
      rolesOf,
      holdSession: (transaction, userId, session) => accounts.sessions.hold(transaction, userId, session),
      subscribed: (subscriberId) => this.subscriberApps.subscribed(subscriberId, id),
      log,
    })
    const friendship = openFriendship(parts, objects)
    const followers = {
      ending: (transaction: Executor, userId: string) => endQueriesOf(transaction, schema, userId),
      ended: (userId: string) => liveQueries.changes.sessionEnded(userId),
      deleted: (transaction: Executor, userId: string) => userDeleted(friendship, transaction, userId),
    }
    const accounts = openAccounts(parts, schema, objects, userHooks({ appId: id, engine, jobs }), followers)
    const push = openPush(parts, schema, objects)
    search = openSearch(
      objects,
      schema,
      log,
      () => apps.known(id)!.settings.search,
      parts.searchServer ?? null,
      queues.slices,
    )
    files = await openFiles(parts, schema, objects)
    statuses = await openStatuses(parts, schema, objects, rolesOf)
    const hooks = messagingHooks(engine, { settings: () => apps.known(id)!.settings.messaging })
    const app: RunningApp = {
      id,
      get record() {
        return apps.known(id)!
      },
      limits,
      objects,
      accounts,
      roles,
      friendship,
      messaging: openMessaging(parts, schema, objects, conversations, hooks, clientPushes(push)),
      push,
      files,
      statuses,
      leaderboards: openLeaderboards(
        {
          database,
          objects,
          files,
          jobs,
          log: log.child({ component: 'leaderboards', app: id }),
          settings: () => apps.known(id)!.settings.leaderboards,
        },
        schema,
      ),
      liveQueries,
      search,
      engine,
      schedules: { appId: id, database, table: identifier(schema, '$schedules') },
      taskQueue: { appId: id, database, table: identifier(schema, '$tasks'), jobs, engine },
    }
    // From here on, other nodes can invalidate what the parts cache.
    await bus.subscribed()
    this.#opened.set(id, app)
    return app
  }
}

/** Assembles the friendships of an app. */
function openFriendship({ apps, database, jobs }: AppParts, objects: ObjectStore): Friendship {
  const { appId } = objects
  const settings = () => apps.known(appId)!.settings.friendship
  return { appId, database, objects, jobs, pairLocks: new SemaphoreByKey(), settings }
}

async function stopParts(app: RunningApp): Promise<void> {
  const { objects, accounts, roles, messaging, push, files, statuses, leaderboards, liveQueries, search, engine } = app
  // Pending work calls hooks and creates pushes, so the other parts stop after it.
  await messaging.pendingWork.drain()
  accounts.sessions.stop()
  stopPush(push)
  liveQueries.stop()
  roles.stop()
  await Promise.all([
    objects.indexes.stop(),
    engine.stop(),
    files.sweep.stop(),
    statuses.sweep.stop(),
    leaderboards.counts.stop(),
    search.indexer.stop(),
    stopMessaging(messaging),
  ])
}
