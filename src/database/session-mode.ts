import type pg from 'pg'
import { number } from './decode-row.ts'
import { isUnavailable } from './faults.ts'

/** How often the connection is checked for the database process behind it. */
const QUESTIONS = 4

/**
 * Checks that each connection keeps its own database process. A pooler in transaction or statement mode would lose settings,
 * prepared statements, locks and LISTEN between transactions.
 * @param connect opens a connection, which is ended here
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
    // The process that the first connection releases goes to the second one, which holds it; then the first one gets another
    // process.
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
  'The database is behind a pooler that assigns connections per transaction (PgBouncer: pool_mode = transaction or statement). Homeport needs its own sessions: set pool_mode = session, or connect to the database directly with --database-url.'

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS process')
  return number('process')(rows[0])
}
