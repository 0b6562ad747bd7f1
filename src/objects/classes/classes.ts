import { coalesce } from '../../database/coalesce.ts'
import { text } from '../../database/decode-row.ts'
import { isMissingTable } from '../../database/faults.ts'
import type { Database, Executor } from '../../database/pool.ts'
import { identifier, raw, sql } from '../../database/sql.ts'
import { ApiError, errors } from '../../errors.ts'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../../scheduling/principal.ts'
import { isClassName } from '../../values/names.ts'
import { type FieldType, takes } from '../../values/typed.ts'
import { BUILT_IN_CLASSES, isBuiltIn } from './built-in-classes.ts'
import { BUILT_IN_INDEXES } from './built-in-indexes.ts'
import { type ClassSchema, makeSchema, tableNameOf } from './class-schema.ts'
import { typeConflict } from './field-options.ts'
import { forgetField } from './forget-field.ts'
import { type ClassChange, checkFieldCount, StoredClasses } from './stored-classes.ts'

/** The queue for changes of an app's classes: maximum waiting changes, and the maximum wait in milliseconds. */
const CHANGES = { slots: 1, waiting: { atAddress: 1000, ofApp: 3000, inAll: 3000 }, timeoutMs: 10_000 }

/**
 * The classes of one app and their fields, held in memory. A field's type never changes once registered, so known classes and
 * fields stay valid while the class exists; `refresh` reads those added by another node. After an administrator removes a field,
 * nodes use its old type until they refresh. A class that is deleted and created again gets another table: see
 * `withCurrentClasses`.
 */
export class ClassRegistry {
  readonly #database: Database
  readonly #schema: string
  readonly #stored: StoredClasses
  #classes: ReadonlyMap<string, ClassSchema> = new Map()
  #version = 0
  /** Shares one refresh between concurrent lookups of unknown classes, which a client may cause with made-up names. */
  readonly #refreshTogether = coalesce<string, void>(
    async (names) => {
      await this.refreshIfChanged()
      return names.map(() => ({ result: undefined }))
    },
    { atOnce: 1, size: Number.POSITIVE_INFINITY },
  )
  readonly #changed: () => void
  /**
   * Changes wait here, where they hold no connection. Of a thousand clients that save the first object of a class at once, one
   * creates the class and the others find it.
   */
  readonly #changes = new FairSemaphore(CHANGES)

  /** @param changed called when a change by this node has committed */
  constructor(database: Database, schema: string, changed: () => void = () => {}) {
    this.#database = database
    this.#schema = schema
    this.#stored = new StoredClasses(schema)
    this.#changed = changed
  }

  /** Loads the registry, after creating missing built-in classes, fields and indexes. */
  async open(): Promise<void> {
    await this.refresh()
    const missing = Object.entries(BUILT_IN_CLASSES).filter(([name]) => !this.#classes.has(name))
    const indexes = await this.#missingIndexes()
    if (missing.length > 0 || indexes.length > 0) {
      await this.#change(async (transaction) => {
        const present = await this.#stored.names(transaction)
        for (const [name, fields] of missing) {
          // Another node may have created it while this one waited for the lock.
          if (present.includes(name)) continue
          await this.#stored.insertClass(transaction, name)
          for (const [field, type] of Object.entries(fields))
            await this.#stored.insertField(transaction, name, field, type)
        }
        for (const index of indexes) {
          const { className, unique, on } = BUILT_IN_INDEXES[index]!
          await transaction.query(sql`
            CREATE ${raw(unique ? 'UNIQUE INDEX' : 'INDEX')} IF NOT EXISTS ${identifier(index)}
            ON ${identifier(this.#schema, tableNameOf(className))} ${on}`)
        }
      })
    }
    for (const [name, fields] of Object.entries(BUILT_IN_CLASSES))
      await this.ensureFields(name, new Map(Object.entries(fields)))
  }

  async #missingIndexes(): Promise<string[]> {
    const rows = await this.#database.query(sql`SELECT indexname FROM pg_indexes WHERE schemaname = ${this.#schema}`)
    const present = new Set(rows.map(text('indexname')))
    return Object.keys(BUILT_IN_INDEXES).filter((index) => !present.has(index))
  }

  get(className: string): ClassSchema | undefined {
    return this.#classes.get(className)
  }

  all(): ClassSchema[] {
    return [...this.#classes.values()]
  }

  /** Returns the class, refreshing from the database if it is not known here; undefined when it does not exist. */
  async lookUp(className: string): Promise<ClassSchema | undefined> {
    const known = this.#classes.get(className)
    if (known) return known
    await this.#refreshTogether(className)
    return this.#classes.get(className)
  }

  /** Returns the class, as `lookUp`. @throws ApiError 101 */
  async find(className: string): Promise<ClassSchema> {
    const found = await this.lookUp(className)
    if (!found) throw errors.classMissing(className)
    return found
  }

  /**
   * Creates the class if it does not exist.
   * @param admit called before a class is created; throws to refuse it
   * @param principal charged for the change
   * @throws ApiError 103, or 154 beyond the limit of classes; 429, 503 when too many changes wait
   */
  async ensureClass(
    className: string,
    admit?: () => Promise<void> | void,
    principal?: Principal,
  ): Promise<ClassSchema> {
    const known = this.#classes.get(className)
    if (known) return known
    checkMayExist(className)
    await this.#change(
      async (transaction) => {
        await this.#stored.ensure(transaction, className, admit)
      },
      { principal, isMade: () => this.#classes.has(className) },
    )
    return this.#classes.get(className)!
  }

  /**
   * Registers the types of fields that the class does not have yet. Of two concurrent first writes, one decides the type.
   * @param admit called with the number of fields before they are added; throws to refuse them
   * @param principal charged for the change
   * @throws ApiError 111 when a field has another type, 154 beyond the limit of fields; 429, 503 when too many changes wait;
   * MissingClass when the class no longer exists
   */
  async ensureFields(
    className: string,
    types: ReadonlyMap<string, FieldType>,
    admit?: (count: number) => Promise<void> | void,
    principal?: Principal,
  ): Promise<ClassSchema> {
    const isMade = () => {
      const known = this.#classes.get(className)
      return known !== undefined && missingFields(known, types).length === 0
    }
    if (isMade()) return this.#classes.get(className)!
    await this.#change(
      async (transaction) => {
        await this.#stored.tableOf(transaction, className)
        const present = await this.#stored.fields(transaction, className)
        const added = [...types].filter(([name, type]) => {
          const existing = present.get(name)?.type
          if (existing && !takes(existing, type)) throw typeConflict(name, existing, type)
          return !existing
        })
        if (added.length === 0) return
        checkFieldCount(present.size + added.length)
        await admit?.(added.length)
        for (const [name, type] of added) await this.#stored.insertField(transaction, className, name, type)
      },
      { principal, isMade },
    )
    return this.#classes.get(className)!
  }

  /**
   * Applies an administrator's changes to a class, all or none; creates the class if it does not exist.
   * @throws ApiError 1, 103, 105, 111 with the name of the field, 154
   */
  async configure(className: string, change: ClassChange): Promise<ClassSchema> {
    checkMayExist(className)
    await this.#change(async (transaction) => {
      await this.#stored.configure(transaction, className, change)
    })
    return this.#classes.get(className)!
  }

  /**
   * Removes a field whose values have been deleted, with the indexes that hold it. A new field of that name may have another
   * type.
   */
  async removeField(className: string, field: string): Promise<void> {
    await this.#change(async (transaction) => {
      const tableName = await this.#stored.tableOf(transaction, className)
      await forgetField(transaction, { schema: this.#schema, className, tableName, field })
    })
  }

  /** Removes a class with its objects and relations. */
  async drop(className: string): Promise<void> {
    await this.#change(async (transaction) => {
      await this.#stored.drop(transaction, className)
    })
  }

  /** The version of the registry held here; it grows with each change. */
  get version(): number {
    return this.#version
  }

  /** Refreshes the registry if another node has changed it. */
  async refreshIfChanged(): Promise<void> {
    if ((await this.#stored.version(this.#database)) !== this.#version) await this.refresh()
  }

  async refresh(): Promise<void> {
    // Reads the version first: after a concurrent change, the classes are newer than the version, never older.
    const version = await this.#stored.version(this.#database)
    const classes = await this.#stored.readAll(this.#database)
    if (version < this.#version) return
    this.#classes = new Map(
      classes.map(({ fields, ...stored }) => {
        const { name } = stored
        const previous = this.#classes.get(name)
        const next = makeSchema(this.#schema, stored, fields)
        // Keeps the statements that are already prepared on connections.
        return [name, previous?.tableName === next.tableName ? { ...next, statements: previous.statements } : next]
      }),
    )
    this.#version = version
  }

  /**
   * Runs one change of the registry at a time over all nodes, and refreshes afterwards.
   * @param isMade returns whether nothing is left to do when the change gets its slot
   */
  async #change(
    work: (transaction: Executor) => Promise<void>,
    { principal = SERVER, isMade = () => false }: { principal?: Principal | undefined; isMade?: () => boolean } = {},
  ): Promise<void> {
    await this.#changes.run(principal, async () => {
      if (isMade()) return
      await this.#database.transaction(async (transaction) => {
        await this.#stored.lock(transaction)
        await work(transaction)
      }, principal)
      this.#changed()
      await this.refresh()
    })
  }
}

/** Returns the fields of `types` that the class lacks. @throws ApiError 111 when a field has another type */
export function missingFields(schema: ClassSchema, types: ReadonlyMap<string, FieldType>): string[] {
  const missing: string[] = []
  for (const [name, type] of types) {
    const field = schema.fields.get(name)
    if (!field) missing.push(name)
    else if (!takes(field.type, type)) throw typeConflict(name, field.type, type)
  }
  return missing
}

function checkMayExist(className: string): void {
  if (!isClassName(className) || (className.startsWith('_') && !isBuiltIn(className)))
    throw errors.invalidClassName(className)
}

/** A field has another type: a class that was deleted and created again may have given it one. */
const INCORRECT_TYPE = 111

interface Registered {
  readonly classes: ClassRegistry
}

/**
 * Runs a write, and repeats it once if the class it was prepared for was deleted or re-created by another node. In that case
 * nothing was done, or the database has undone it. The repeated write sees the current class, or none.
 * @param transaction the transaction that the write is part of: then repeating is left to its owner
 */
export function withCurrentClasses<Result>(
  { classes }: Registered,
  work: () => Promise<Result>,
  transaction?: Executor,
): Promise<Result> {
  const { version } = classes
  return work().catch(async (error: unknown) => {
    if (transaction || !(await wasOutdated({ classes }, version, error))) throw error
    return work()
  })
}

/** Returns whether an error shows that nothing was done, possibly because this node's classes are outdated. */
export function looksOutdated(error: unknown): boolean {
  return isMissingTable(error) || (error instanceof ApiError && error.code === INCORRECT_TYPE)
}

/**
 * Returns whether an error may result from an outdated class; the registry is then up to date.
 * @param version the version the failed write used (`ClassRegistry.version`)
 */
export async function wasOutdated({ classes }: Registered, version: number, error: unknown): Promise<boolean> {
  if (!looksOutdated(error)) return false
  if (isMissingTable(error)) {
    await classes.refresh()
    return true
  }
  await classes.refreshIfChanged()
  return classes.version !== version
}
