import { setTimeout as sleep } from 'node:timers/promises'
import type { MessagingServer } from '../messaging/server.ts'
import { send } from '../workload.ts'

/** The app and keys of every Homeport in the benchmark. */
const APP = 'bench'
const HEADERS = {
  'X-LC-Id': APP,
  'X-LC-Key': 'master-key-of-the-benchmark,master',
  'Content-Type': 'application/json',
}
const ADMIN_HEADERS = { authorization: 'Bearer admin-token-of-the-benchmark', 'content-type': 'application/json' }

/** The polling interval of push records, in milliseconds. */
const INTERVAL = 20
const TIMEOUT_MS = 20 * 60_000

/** The database of an app. */
export type AppDatabase = Pick<MessagingServer, 'query' | 'table'>

export interface PushRecord {
  readonly status: string
  readonly devices: number
  readonly successes: number
  readonly errors: Readonly<Record<string, number>>
}

/** Sends a request with the master key. */
export async function callServer<Answer>(url: string, path: string, content: object): Promise<Answer> {
  const request = { method: 'POST', path, headers: HEADERS, body: JSON.stringify(content) } as const
  return JSON.parse(await send({ url }, request)) as Answer
}

/** Configures a push provider for an app, without limits on calls. */
export async function configure(url: string, settings: object): Promise<void> {
  const body = JSON.stringify({ push: { limits: { calls: 1_000_000 }, ...settings } })
  const path = `/admin/apps/${APP}/settings`
  const response = await fetch(url + path, { method: 'PATCH', headers: ADMIN_HEADERS, body })
  if (!response.ok) throw new Error(`The settings were answered with ${response.status}: ${await response.text()}`)
}

/**
 * Creates a push.
 * @returns its id
 */
export async function push(url: string, body: object): Promise<string> {
  const data = { alert: 'The course opens', title: 'School' }
  return (await callServer<{ objectId: string }>(url, '/1.1/push', { data, ...body })).objectId
}

/** Waits until a push is done. */
export async function untilDone(database: AppDatabase, id: string): Promise<PushRecord> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(INTERVAL)) {
    const record = await recordOf(database, id)
    if (record.status === 'done' || record.status === 'error') return record
  }
  throw new Error(`The push is not done after ${TIMEOUT_MS / 60_000} minutes.`)
}

async function recordOf({ query, table }: AppDatabase, id: string): Promise<PushRecord> {
  const [row] = await query<{ status: string; devices: string; successes: object; errors: Record<string, number> }>(
    `SELECT status, devices, successes, errors FROM ${table('$push_records')} WHERE id = $1`,
    [id],
  )
  const successes = Object.values(row!.successes).reduce((sum: number, count: number) => sum + count, 0)
  return { status: row!.status, devices: Number(row!.devices), successes, errors: row!.errors }
}
