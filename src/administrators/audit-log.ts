import { date, number, rowDecoder, text, texts } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { join, sql } from '../database/sql.ts'
import type { Administrator } from './administrator.ts'

/** Maximum number of lines that are kept; about 300 bytes each. */
const MAX_ENTRIES = 1_000_000
/** Old lines are deleted after every so many new ones. */
const CLEANED_EVERY = 1000

/** A change requested by an administrator. */
export interface RequestedChange {
  /** null: the server's admin token */
  readonly administrator: Pick<Administrator, 'id' | 'name'> | null
  /** IP address */
  readonly address: string
  readonly appId: string | null
  readonly method: string
  readonly path: string
  readonly body: unknown
}

export interface AuditLine {
  readonly id: number
  /** ISO */
  readonly at: string
  /** null: the server's admin token */
  readonly administrator: string | null
  readonly name: string | null
  readonly address: string
  readonly appId: string | null
  readonly method: string
  readonly path: string
  /** Names of the members of the body, never their values. */
  readonly members: readonly string[]
  /** HTTP status; null: still in progress, or the server stopped meanwhile. */
  readonly status: number | null
}

/**
 * Records a change before it is made.
 * @returns id of the line, for `noteOutcome`
 */
export async function noteChange(database: Executor, change: RequestedChange): Promise<number> {
  const { administrator, address, appId, method, path, body } = change
  const [row] = await database.query(sql`
    INSERT INTO homeport.audit_log (administrator, name, address, app, method, path, members)
    VALUES (${administrator?.id ?? null}, ${administrator?.name ?? null}, ${address}, ${appId}, ${method},
      ${path.slice(0, 500)}, ${membersOf(body)})
    RETURNING id`)
  const id = number('id')(row!)
  if (id % CLEANED_EVERY === 0)
    await database.query(sql`DELETE FROM homeport.audit_log WHERE id <= ${id - MAX_ENTRIES}`)
  return id
}

export async function noteOutcome(database: Executor, id: number, status: number): Promise<void> {
  await database.query(sql`UPDATE homeport.audit_log SET status = ${status} WHERE id = ${id}`)
}

/**
 * Lists lines of the audit log.
 * @param apps the apps whose lines are returned; null: all lines, including those that concern no app
 * @param before id of a line: returns only older lines
 * @returns the newest first
 */
export async function listChanges(
  database: Executor,
  {
    apps,
    before,
    limit,
  }: { readonly apps: readonly string[] | null; readonly before: number | null; readonly limit: number },
): Promise<AuditLine[]> {
  const conditions = [
    ...(apps === null ? [] : [sql`app = ANY(${apps})`]),
    ...(before === null ? [] : [sql`id < ${before}`]),
    sql`true`,
  ]
  const rows = await database.query(sql`
    SELECT * FROM homeport.audit_log WHERE ${join(conditions, ' AND ')} ORDER BY id DESC LIMIT ${limit}`)
  return rows.map(decodeLine)
}

function membersOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  return Object.keys(body)
    .slice(0, 30)
    .map((name) => name.slice(0, 100))
}

const decodeLine = rowDecoder({
  id: number('id'),
  at: date('at'),
  administrator: text.orNull('administrator'),
  name: text.orNull('name'),
  address: text('address'),
  appId: text.orNull('app'),
  method: text('method'),
  path: text('path'),
  members: texts('members'),
  status: number.orNull('status'),
})
