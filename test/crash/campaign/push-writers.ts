import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Api } from './api.ts'

/** Milliseconds between two pushes. */
const PAUSE = 100
/** How long work may take that a server has left behind: its lease has to run out (`src/jobs`). Milliseconds. */
const PATIENCE = 40_000

/** A back end that pushes to devices that nobody has: what it is told was taken on is a job that must come to its end. */
export class PushWriters {
  /** Ids of the pushes that were acknowledged. */
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
    for (let turn = 0; !this.#stopping; turn++) {
      // What was not answered is asked again as the same request.
      for (let isDone = false; !isDone && !this.#stopping; ) {
        isDone = await this.#push(`round${this.#round}push${turn}`)
        await sleep(PAUSE)
      }
    }
  }

  async #push(req_id: string): Promise<boolean> {
    const body = { channels: ['nobody'], data: { alert: 'hello' }, req_id }
    const told = await this.#api.send('POST', '/1.1/push', body, { master: true })
    if (told.outcome === 'refused')
      this.#api.trouble.violations.push(`a push was refused with ${JSON.stringify(told.body)}`)
    if (told.outcome === 'done') this.ids.add(told.body.objectId)
    return told.outcome === 'done'
  }
}

/** Waits until all pushes have come to their end and no job of them is left. @returns what has not */
export async function unfinishedPushes(api: Api, database: pg.Client, ids: readonly string[]): Promise<string[]> {
  let left: string[] = []
  for (const late = Date.now() + PATIENCE; Date.now() < late; await sleep(200)) {
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
