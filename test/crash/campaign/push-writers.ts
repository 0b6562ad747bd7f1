import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Api } from './api.ts'

/** Milliseconds between two pushes. */
const PAUSE = 100
/** Timeout for work left by a crashed server, whose lease must expire (`src/jobs`). Milliseconds. */
const TIMEOUT_MS = 40_000

/** A back end that pushes to unreachable devices: every accepted push is a job that must finish. */
export class PushWriters {
  /** Ids of the acknowledged pushes. */
  readonly ids = new Set<string>()
  readonly #api: Api
  readonly #round: number
  readonly #running: Promise<void>
  #stopping = false

  constructor(api: Api, round: number) {
    this.#api = api
    this.#round = round
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  async #run(): Promise<void> {
    for (let round = 0; !this.#stopping; round++) {
      // An unanswered push is repeated as the same request.
      for (let isDone = false; !isDone && !this.#stopping; ) {
        isDone = await this.#push(`round${this.#round}push${round}`)
        await sleep(PAUSE)
      }
    }
  }

  async #push(req_id: string): Promise<boolean> {
    const body = { channels: ['nobody'], data: { alert: 'hello' }, req_id }
    const reply = await this.#api.send('POST', '/1.1/push', body, { master: true })
    if (reply.outcome === 'refused')
      this.#api.faults.violations.push(`a push was refused with ${JSON.stringify(reply.body)}`)
    if (reply.outcome === 'done') this.ids.add(reply.body.objectId)
    return reply.outcome === 'done'
  }
}

/**
 * Waits until all pushes are finished and have no job left.
 * @returns the unfinished ones
 */
export async function unfinishedPushes(api: Api, database: pg.Client, ids: readonly string[]): Promise<string[]> {
  let left: string[] = []
  for (const late = Date.now() + TIMEOUT_MS; Date.now() < late; await sleep(200)) {
    left = await unfinished(api, database, ids)
    if (left.length === 0) return []
  }
  return left
}

async function unfinished(api: Api, database: pg.Client, ids: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ kind: string; count: string; last_error: string | null }>(
    "SELECT kind, count(*), max(last_error) AS last_error FROM homeport.jobs WHERE kind LIKE 'push%' GROUP BY kind",
  )
  const jobs = rows.map(
    ({ kind, count, last_error }) => `${count} jobs '${kind}' are left (${last_error ?? 'no error'})`,
  )
  if (jobs.length > 0) return jobs
  const records = await Promise.all(ids.map((id) => api.send('GET', `/1.1/tables/Notifications/${id}`)))
  return records.flatMap(({ status, body }, index) =>
    body?.status === 'done' ? [] : [`the push ${ids[index]} is ${status} ${JSON.stringify(body)}`],
  )
}
