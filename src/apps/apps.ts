import { coalesce } from '../database/coalesce.ts'
import { type Decoder, date, entry, json, rowDecoder, text } from '../database/decode-row.ts'
import { isUniqueViolation } from '../database/faults.ts'
import { migrateApp } from '../database/migrate.ts'
import type { Database, Executor } from '../database/pool.ts'
import { identifier, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { JsonObject } from '../values/json.ts'
import { APP_ID_RULE, isAppId, isKey, KEY_RULE, newKey } from '../values/secrets.ts'
import { TtlCache } from '../values/ttl-cache.ts'
import { claimFileHost, fileHosts, hostnameOf } from './file-hosts.ts'
import { type AppSettings, mergePatch, parseSettings, SECRET_SETTINGS, withPaths } from './settings.ts'
import { withoutShownSecrets } from './settings-secrets.ts'

/** An app and its keys. Ids of the hosted service may end in a region suffix such as `-gzGzoHsz`. */
export interface AppRecord {
  readonly id: string
  readonly name: string
  readonly appKey: string
  readonly masterKey: string
  readonly hookKey: string
  /** Recipient of mail about the app, such as a finished export. */
  readonly ownerEmail: string | null
  readonly settings: AppSettings
  readonly createdAt: string
}

export interface AppCredentials {
  readonly id?: string | undefined
  readonly appKey?: string | undefined
  readonly masterKey?: string | undefined
  readonly hookKey?: string | undefined
}

/** An app's keys; each can be replaced separately. */
export const KEYS = ['appKey', 'masterKey', 'hookKey'] as const
export type Key = (typeof KEYS)[number]

/** How long an unknown app id is cached, in milliseconds, and how many of them. */
const UNKNOWN_AGE = 2_000
const UNKNOWN_SIZE = 1_000

/** Returns the name of the schema that holds an app's tables. */
export function schemaOf(appId: string): string {
  return `app_${appId}`
}

/** How the settings of an app are changed. */
export interface SettingsChange {
  /** The caller may claim hosts for an app's files: an owner, or the admin token. */
  readonly mayClaimHosts?: boolean
  /** The host in the caller's request, which is one of the server's own. */
  readonly ownHost?: string | null
}

/** The apps of this installation, kept in memory; changes of other nodes arrive with `reload`. */
export class Apps {
  readonly #database: Database
  /** Host names. */
  readonly #ownHosts: ReadonlySet<string>
  #known = new Map<string, AppRecord>()
  /** Ids of apps by the hosts that serve their files. */
  #fileHosts: ReadonlyMap<string, string> = new Map()
  /** Ids that were looked up and do not exist. */
  readonly #unknown = new TtlCache<true>({ age: UNKNOWN_AGE, size: UNKNOWN_SIZE })
  /** Requests with made-up app ids arrive in large numbers during an attack; concurrent lookups share one read. */
  readonly #reloadTogether = coalesce<string, void>(
    async (ids) => {
      await this.reload()
      return ids.map(() => ({ result: undefined }))
    },
    { atOnce: 1, size: Number.POSITIVE_INFINITY },
  )
  #reads = 0
  #newestRead = 0
  #changed: () => void = () => {}

  /** @param ownUrls base URLs of the server itself, whose hosts no app may claim; null for one that is not set */
  constructor(database: Database, ownUrls: readonly (string | null)[] = []) {
    this.#database = database
    this.#ownHosts = new Set(ownUrls.flatMap((url) => hostnameOf(url) ?? []))
  }

  /** @param notify called after this node has committed a change of an app */
  whenChanged(notify: () => void): void {
    this.#changed = notify
  }

  async reload(): Promise<void> {
    const number = ++this.#reads
    const rows = await this.#database.query(sql`SELECT * FROM homeport.apps ORDER BY created_at, id`)
    // Of two overlapping reads, the one that began later has the newer data.
    if (number < this.#newestRead) return
    this.#newestRead = number
    this.#known = new Map(rows.map(entry(text('id'), record)))
    this.#fileHosts = fileHosts(this.#known.values(), this.#ownHosts)
  }

  all(): AppRecord[] {
    return [...this.#known.values()]
  }

  some(is: (app: AppRecord) => boolean): boolean {
    for (const app of this.#known.values()) if (is(app)) return true
    return false
  }

  /**
   * Returns the id of the app whose files a host serves at its root (`files.domain`).
   * @param host called only if any app has such a host
   */
  ofFileHost(host: () => string | null): string | undefined {
    return this.#fileHosts.size === 0 ? undefined : this.#fileHosts.get(host()?.toLowerCase() ?? '')
  }

  known(id: string): AppRecord | undefined {
    return this.#known.get(id)
  }

  /** Returns the app with this id; reads the database when this node does not know it. */
  async find(id: string): Promise<AppRecord | undefined> {
    const known = this.#known.get(id)
    if (known || !isAppId(id) || this.#unknown.get(id)) return known
    await this.#reloadTogether(id)
    if (!this.#known.has(id)) this.#unknown.set(id, true)
    return this.#known.get(id)
  }

  /**
   * Creates an app, and generates missing credentials.
   * @throws ApiError 1 or 137
   */
  async create(name: string, ownerEmail: string | null, given: AppCredentials = {}): Promise<AppRecord> {
    return this.#open(await insertApp(this.#database, name, ownerEmail, given))
  }

  /** Creates an app if none exists. Of nodes that start together on an empty database, one creates it. */
  async createFirst(name: string): Promise<AppRecord | null> {
    if (this.#known.size > 0) return null
    const id = await this.#database.transaction(async (transaction) => {
      await transaction.query(sql`SELECT pg_advisory_xact_lock(hashtextextended('the first app', 0))`)
      const others = await transaction.query(sql`SELECT FROM homeport.apps LIMIT 1`)
      return others.length === 0 ? insertApp(transaction, name, null, {}) : null
    })
    if (id !== null) return this.#open(id)
    await this.reload()
    return null
  }

  /** Creates the tables of a new app and loads it. */
  async #open(id: string): Promise<AppRecord> {
    this.#unknown.delete(id)
    await migrateApp(this.#database, id, schemaOf(id))
    await this.#apply()
    return this.#known.get(id)!
  }

  /** Ensures that an app with exactly these credentials exists, so that a migrated app keeps its keys. */
  async ensure(
    id: string,
    given: Required<Pick<AppCredentials, 'appKey' | 'masterKey'>> & AppCredentials,
  ): Promise<AppRecord> {
    const known = this.#known.get(id) ?? (await this.#createUnlessThere(id, given))
    const hookKey = given.hookKey ?? known.hookKey
    if (known.appKey === given.appKey && known.masterKey === given.masterKey && known.hookKey === hookKey) return known
    return this.#setKeys(id, [given.appKey!, given.masterKey!, hookKey].map(checkKey))
  }

  /** Creates the app. Of nodes that start together on an empty database, one creates it and the others find it. */
  async #createUnlessThere(id: string, given: AppCredentials): Promise<AppRecord> {
    try {
      return await this.create(id, null, { ...given, id })
    } catch (error) {
      await this.reload()
      const made = this.#known.get(id)
      if (!made) throw error
      // The node that created it may not have created its tables yet.
      await migrateApp(this.#database, id, schemaOf(id))
      return made
    }
  }

  async update(
    id: string,
    change: {
      name?: string | undefined
      ownerEmail?: string | null | undefined
      /** Keys to replace; true: all */
      rotateKeys?: true | readonly Key[] | undefined
    },
  ): Promise<AppRecord> {
    const app = this.#require(id)
    await this.#database.query(sql`
      UPDATE homeport.apps
      SET name = ${change.name ?? app.name}, owner_email = ${change.ownerEmail === undefined ? app.ownerEmail : change.ownerEmail}
      WHERE id = ${id}`)
    const rotated = change.rotateKeys === true ? KEYS : change.rotateKeys
    if (rotated)
      return this.#setKeys(
        id,
        KEYS.map((key) => (rotated.includes(key) ? newKey() : app[key])),
      )
    await this.#apply()
    return this.#require(id)
  }

  /**
   * Merges a patch into the settings (RFC 7396).
   * @throws ApiError 1 when the result would be invalid; 137 for a file host that is taken, 403 when the caller may not
   *   claim one
   */
  async updateSettings(
    id: string,
    patch: JsonObject,
    { mayClaimHosts = true, ownHost = null }: SettingsChange = {},
  ): Promise<AppSettings> {
    this.#require(id)
    await this.#database.transaction(async (transaction) => {
      const [row] = await transaction.query(sql`SELECT settings FROM homeport.apps WHERE id = ${id} FOR UPDATE`)
      const stored = row ? json<JsonObject>('settings')(row) : {}
      const merged = mergePatch(stored, withoutShownSecrets(withPaths(patch), SECRET_SETTINGS))
      const { domain } = parseSettings(merged).files
      if (domain !== null && domain !== parseSettings(stored).files.domain) {
        if (!mayClaimHosts) throw errors.forbidden("Only owners of the server can set 'files.domain'.")
        const own = hostnameOf(ownHost)
        const reserved = own === null ? this.#ownHosts : new Set([...this.#ownHosts, own])
        await claimFileHost(transaction, id, domain, reserved)
      }
      await transaction.query(
        sql`UPDATE homeport.apps SET settings = ${JSON.stringify(merged)}::jsonb WHERE id = ${id}`,
      )
    })
    await this.#apply()
    return this.#require(id).settings
  }

  /** Deletes an app with all its data. */
  async remove(id: string): Promise<void> {
    this.#require(id)
    await this.#database.transaction(async (transaction) => {
      await transaction.query(sql`DROP SCHEMA IF EXISTS ${identifier(schemaOf(id))} CASCADE`)
      await transaction.query(sql`DELETE FROM homeport.apps WHERE id = ${id}`)
      await transaction.query(sql`
        UPDATE homeport.search_server_indexes SET is_wanted = FALSE WHERE app_schema = ${schemaOf(id)}`)
    })
    this.#known.delete(id)
    await this.#apply()
  }

  /** Reloads the apps after a committed change, and notifies the other nodes. */
  async #apply(): Promise<void> {
    this.#changed()
    await this.reload()
  }

  async #setKeys(id: string, [appKey, masterKey, hookKey]: string[]): Promise<AppRecord> {
    await this.#database.query(sql`
      UPDATE homeport.apps SET app_key = ${appKey!}, master_key = ${masterKey!}, hook_key = ${hookKey!} WHERE id = ${id}`)
    await this.#apply()
    return this.#require(id)
  }

  #require(id: string): AppRecord {
    const app = this.#known.get(id)
    if (!app) throw errors.notFound(`App '${id.slice(0, 60)}' not found.`)
    return app
  }
}

function checkId(id: string): string {
  if (!isAppId(id)) throw errors.badArgument(`'appId' ${APP_ID_RULE}.`)
  return id
}

function checkKey(key: string): string {
  if (!isKey(key)) throw errors.badArgument(`A key ${KEY_RULE}.`)
  return key
}

const record: Decoder<AppRecord> = rowDecoder({
  id: text('id'),
  name: text('name'),
  appKey: text('app_key'),
  masterKey: text('master_key'),
  hookKey: text('hook_key'),
  ownerEmail: text.orNull('owner_email'),
  settings: text('settings', (settings) => parseSettings(JSON.parse(settings))),
  createdAt: date('created_at'),
})

/**
 * @returns its id
 * @throws ApiError 1 or 137
 */
async function insertApp(
  executor: Executor,
  name: string,
  ownerEmail: string | null,
  given: AppCredentials,
): Promise<string> {
  const id = checkId(given.id ?? newKey())
  const keys = [given.appKey ?? newKey(), given.masterKey ?? newKey(), given.hookKey ?? newKey()].map(checkKey)
  if (new Set(keys).size < keys.length)
    throw errors.badArgument('appKey, masterKey and hookKey must differ from each other.')
  try {
    await executor.query(sql`
      INSERT INTO homeport.apps (id, name, app_key, master_key, hook_key, owner_email)
      VALUES (${id}, ${name}, ${keys[0]!}, ${keys[1]!}, ${keys[2]!}, ${ownerEmail})`)
  } catch (error) {
    if (isUniqueViolation(error)) throw errors.duplicateValue(`An app with the id '${id}' already exists.`)
    throw error
  }
  return id
}
