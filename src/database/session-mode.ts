import type pg from 'pg'
import { number } from './decode-row.ts'
import { isUnavailable } from './faults.ts'

/** How often it is asked which process of the database answers. */
const QUESTIONS = 4

/**
 * Makes sure that each connection keeps its process of the database to itself. Between transactions a pooler that lends
 * processes by the transaction or statement would lose settings, prepared statements, locks and LISTEN.
 * @param connect makes a connection, which is ended here
 * @throws Error with one line for the administrator
 */
export async function checkSessions(connect: () => Promise<pg.Client>): Promise<void> {
  const clients: pg.Client[] = []
  const open = async () => {
    const client = await connect()
    clients.push(client)
    return client
  }
  try {
    const [first, second] = [await open(), await open()]
    const seen = [await processOf(first)]
    // What the first one gave back the second one gets, and holds; when it has let go, it is the turn of another.
    await second.query('BEGIN')
    const other = await processOf(second)
    seen.push(await processOf(first))
    await second.query('COMMIT')
    while (seen.length < QUESTIONS) seen.push(await processOf(first))
    if (seen.every((number) => number === seen[0] && number !== other)) return
  } catch (error) {
    if (isUnavailable(error) || clients.length < 2) throw error
    throw new Error(REFUSAL, { cause: error })
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
  throw new Error(REFUSAL)
}

const REFUSAL =
  'The database is behind a pooler that lends connections by the transaction (PgBouncer: pool_mode = transaction or statement). Homeport needs sessions of its own: set pool_mode = session, or name the database itself in --database-url.'

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS process')
  return number('process')(rows[0])
}
