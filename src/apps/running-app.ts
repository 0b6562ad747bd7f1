import { Sessions } from '../accounts/sessions.ts'
import { userRules } from '../accounts/user-rules.ts'
import { migrateApp } from '../database/migrate.ts'
import type { Database } from '../database/pool.ts'
import { identifier } from '../database/sql.ts'
import { fileRules } from '../files/file-rules.ts'
import type { Log } from '../log.ts'
import { AutomaticIndexes } from '../objects/automatic-indexes.ts'
import { ClassRegistry } from '../objects/classes.ts'
import { GatheredStatements } from '../objects/gathered-statements.ts'
import { GatheredUpdates } from '../objects/gathered-updates.ts'
import type { ClassRules, ObjectStore } from '../objects/store.ts'
import { roleRules } from '../roles/role-rules.ts'
import { Roles } from '../roles/roles.ts'
import { type AppRecord, type Apps, schemaOf } from './apps.ts'

/** An app at work: its record as it is now, and its parts, opened. */
export interface RunningApp {
  readonly id: string
  /** The app's keys and settings as they are at this moment. */
  readonly record: AppRecord
  readonly objects: ObjectStore
  readonly sessions: Sessions
  readonly roles: Roles
}

/** Opens apps at their first use and keeps them. */
export class RunningApps {
  readonly #database: Database
  readonly #apps: Apps
  readonly #log: Log
  readonly #opened = new Map<string, RunningApp>()
  readonly #opening = new Map<string, Promise<RunningApp>>()

  constructor(database: Database, apps: Apps, log: Log) {
    this.#database = database
    this.#apps = apps
    this.#log = log
  }

  /** The app if it has been opened, without a detour: what almost every request takes. */
  opened(id: string): RunningApp | undefined {
    return this.#opened.get(id)
  }

  /** @returns undefined when there is no app with this id */
  async open(id: string): Promise<RunningApp | undefined> {
    const opened = this.#opened.get(id)
    if (opened) return opened
    if (!(await this.#apps.find(id))) return undefined
    let opening = this.#opening.get(id)
    if (!opening) {
      opening = this.#start(id).finally(() => this.#opening.delete(id))
      this.#opening.set(id, opening)
    }
    return opening
  }

  forget(id: string): void {
    this.#opened.get(id)?.objects.indexes.stop()
    this.#opened.delete(id)
  }

  /** Lets go of apps that exist no more, and reads what other nodes have changed of the others' classes. */
  async refresh(): Promise<void> {
    for (const [id, app] of this.#opened) {
      if (this.#apps.known(id)) await app.objects.classes.refreshIfChanged()
      else this.forget(id)
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((app) => app.objects.indexes.stop()))
  }

  async #start(id: string): Promise<RunningApp> {
    const schema = schemaOf(id)
    await migrateApp(this.#database, id, schema)
    const classes = new ClassRegistry(this.#database, schema)
    await classes.open()
    const apps = this.#apps
    const roles = new Roles(this.#database, schema)
    const rules = new Map<string, ClassRules>([
      ['_User', userRules],
      ['_Role', roleRules(roles.forgetAll)],
      ['_File', fileRules],
    ])
    const indexes = new AutomaticIndexes(this.#database, schema, this.#log)
    await indexes.open()
    const app: RunningApp = {
      id,
      get record() {
        return apps.known(id)!
      },
      objects: {
        appId: id,
        database: this.#database,
        classes,
        gathered: new GatheredStatements(this.#database),
        updates: new GatheredUpdates(this.#database),
        indexes,
        rules,
        relations: identifier(schema, '$relations'),
        scans: identifier(schema, '$scans'),
        lastWrites: new Map(),
        openedAt: new Date().toISOString(),
        settings: () => apps.known(id)!.settings.storage,
      },
      sessions: new Sessions(this.#database, schema),
      roles,
    }
    this.#opened.set(id, app)
    return app
  }
}
