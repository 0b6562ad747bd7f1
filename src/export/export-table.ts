import { schemaOf } from '../apps/apps.ts'
import { json, number, oneOf, rowDecoder, text } from '../database/decode-row.ts'
import { isMissingTable } from '../database/faults.ts'
import type { Executor } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import type { ExportRequest } from './export-request.ts'

/** Identifies an export; the payload of its jobs. */
export interface ExportKey {
  readonly appId: string
  readonly id: string
}

export type EndedExport = ExportKey &
  ({ readonly status: 'done'; readonly secret: string } | { readonly status: 'failed'; readonly error: string })

/** The state of an export (protocol/storage, Export). The secret is needed to download a finished one. */
export type ExportState = (ExportKey & { readonly status: 'running' }) | EndedExport

/** The request as stored, with the base URL of the link in the mail. */
export type StoredRequest = ExportRequest & { readonly baseUrl: string }

export async function insertExport(executor: Executor, key: ExportKey, request: StoredRequest): Promise<void> {
  await executor.query(sql`
    INSERT INTO ${table(key)} (id, status, request)
    VALUES (${key.id}, 'running', ${JSON.stringify(request)}::jsonb)`)
}

/** Counts the exports of an app in a transaction. Other transactions that count wait for its end. */
export async function countExports(
  transaction: Executor,
  appId: string,
): Promise<{ readonly running: number; readonly all: number }> {
  await transaction.query(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`exports ${appId}`}, 0))`)
  const [row] = await transaction.query(sql`
    SELECT count(*) FILTER (WHERE status = 'running') AS running, count(*) AS all
    FROM ${table({ appId })}`)
  return decodeCounts(row!)
}

/** @returns null when the export does not exist, or the app was removed */
export async function findExport(
  executor: Executor,
  key: ExportKey,
): Promise<{ readonly state: ExportState; readonly request: StoredRequest } | null> {
  const rows = await executor
    .query(sql`SELECT status, request, download_secret, error FROM ${table(key)} WHERE id = ${key.id}`)
    .catch(nothingWithoutApp)
  const row = rows[0]
  return row ? { state: stateOf(key, row), request: json<StoredRequest>('request')(row) } : null
}

/** Stores how a running export ended. @returns whether the export was running */
export async function endExport(executor: Executor, state: EndedExport): Promise<boolean> {
  const rows = await executor.query(sql`
    UPDATE ${table(state)}
    SET status = ${state.status},
        download_secret = ${state.status === 'done' ? state.secret : null},
        error = ${state.status === 'failed' ? state.error : null},
        finished_at = now()
    WHERE id = ${state.id} AND status = 'running'
    RETURNING id`)
  return rows.length > 0
}

export async function deleteExport(executor: Executor, key: ExportKey): Promise<void> {
  await executor.query(sql`DELETE FROM ${table(key)} WHERE id = ${key.id}`).catch(nothingWithoutApp)
}

const decodeCounts = rowDecoder({ running: number('running'), all: number('all') })

const statusOf = oneOf('status', ['running', 'done', 'failed'])

function stateOf({ appId, id }: ExportKey, row: Row): ExportState {
  const status = statusOf(row)
  switch (status) {
    case 'done':
      return { appId, id, status, secret: text('download_secret')(row) }
    case 'failed':
      return { appId, id, status, error: text('error')(row) }
    case 'running':
      return { appId, id, status }
  }
}

function table({ appId }: Pick<ExportKey, 'appId'>): Sql {
  return identifier(schemaOf(appId), '$exports')
}

/** Returns no rows when the app was removed, because its tables are dropped. */
function nothingWithoutApp(error: unknown): Row[] {
  if (isMissingTable(error)) return []
  throw error
}
