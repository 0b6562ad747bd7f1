import { randomUUID } from 'node:crypto'
import { number } from '../database/decode-row.ts'
import { isUniqueViolation } from '../database/faults.ts'
import type { Database, Executor } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { type Administrator, administratorOf, type Role } from './administrator.ts'

export interface NewAdministrator {
  readonly name: string
  readonly role: Role
  /** null: all apps. Owners always have all apps. */
  readonly apps: readonly string[] | null
}

/** Maximum number of administrators. */
const MAX_ADMINISTRATORS = 1000

/** @returns all administrators, the oldest first */
export async function listAdministrators(database: Executor): Promise<Administrator[]> {
  const rows = await database.query(sql`SELECT * FROM homeport.administrators ORDER BY created_at, id`)
  return rows.map(administratorOf)
}

/**
 * Creates an administrator, who logs in by a link (`links.ts`) until a password is set.
 * @throws ApiError 1 when the name is taken, an owner is limited to some apps, or the maximum is reached
 */
export function addAdministrator(database: Database, added: NewAdministrator): Promise<Administrator> {
  checkApps(added)
  return withAll(database, async (transaction) => {
    const [counted] = await transaction.query(sql`SELECT count(*) FROM homeport.administrators`)
    if (number('count')(counted!) >= MAX_ADMINISTRATORS)
      throw errors.badArgument(`The maximum of ${MAX_ADMINISTRATORS} administrators is reached.`)
    const { name, role, apps } = added
    const [row] = await transaction.query(sql`
      INSERT INTO homeport.administrators (id, name, role, apps)
      VALUES (${randomUUID()}, ${name}, ${role}, ${apps}) RETURNING *`)
    return administratorOf(row!)
  })
}

/**
 * Changes the members that are present in `change`.
 * @throws ApiError 404; 1 when the name is taken, no owner would remain, or an owner is limited to some apps
 */
export function changeAdministrator(
  database: Database,
  id: string,
  change: { readonly [Key in keyof NewAdministrator]?: NewAdministrator[Key] | undefined },
): Promise<Administrator> {
  return withAll(database, async (transaction) => {
    const [row] = await transaction.query(sql`SELECT * FROM homeport.administrators WHERE id = ${id}`)
    if (!row) throw missing()
    const before = administratorOf(row)
    const role = change.role ?? before.role
    // A new owner has all apps.
    const apps = change.apps !== undefined ? change.apps : role === 'owner' ? null : before.apps
    checkApps({ role, apps })
    const [changed] = await transaction.query(sql`
      UPDATE homeport.administrators SET name = ${change.name ?? before.name}, role = ${role}, apps = ${apps}
      WHERE id = ${id} RETURNING *`)
    if (before.role === 'owner') await checkOwnerLeft(transaction)
    return administratorOf(changed!)
  })
}

/**
 * Deletes an administrator and, by foreign keys, its sessions and links.
 * @throws ApiError 404; 1 when no owner would remain
 */
export function removeAdministrator(database: Database, id: string): Promise<void> {
  return withAll(database, async (transaction) => {
    const removed = await transaction.query(sql`DELETE FROM homeport.administrators WHERE id = ${id} RETURNING role`)
    if (removed.length === 0) throw missing()
    if (removed[0]!.role === 'owner') await checkOwnerLeft(transaction)
  })
}

function missing() {
  return errors.notFound('Administrator not found.')
}

function checkApps({ role, apps }: Pick<NewAdministrator, 'role' | 'apps'>): void {
  if (role === 'owner' && apps !== null)
    throw errors.badArgument('apps: an owner has access to all apps; omit it or set it to null')
}

/** Runs changes one after the other: two owners that demote or remove each other concurrently must not both succeed. */
async function withAll<Result>(database: Database, work: (transaction: Executor) => Promise<Result>): Promise<Result> {
  try {
    return await database.transaction(async (transaction) => {
      await transaction.query(LOCK)
      return work(transaction)
    })
  } catch (error) {
    if (isUniqueViolation(error, 'administrators_by_name'))
      throw errors.badArgument('name: already used by another administrator')
    throw error
  }
}

const LOCK: Sql = sql`LOCK TABLE homeport.administrators IN SHARE ROW EXCLUSIVE MODE`

async function checkOwnerLeft(transaction: Executor): Promise<void> {
  const owners = await transaction.query(sql`SELECT FROM homeport.administrators WHERE role = 'owner' LIMIT 1`)
  if (owners.length === 0) throw errors.badArgument('role: at least one owner must remain')
}
