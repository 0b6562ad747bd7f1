import { randomUUID } from 'node:crypto'
import { entry, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { SharedResponses } from './challenge-responses.ts'
import type { TlsStore } from './tls-store.ts'

const ORDERING = 'ordering'
const CHALLENGE_PREFIX = 'challenge:'

const decodeValue = rowDecoder({ value: text('value') })
const decodeResponse = entry(text('key'), text('value'))

/**
 * The store of servers that share a database: one of them orders a certificate, and all use it. Private keys are stored in clear
 * text, like the apps' master keys in the same database (docs/tls.md, Several servers).
 */
export function databaseStore(database: Database): TlsStore {
  return {
    isShared: true,
    async get(key) {
      const [row] = await database.query(sql`SELECT value FROM homeport.tls WHERE key = ${key}`)
      return row ? decodeValue(row).value : null
    },
    async put(key, value) {
      await database.query(sql`
        INSERT INTO homeport.tls (key, value) VALUES (${key}, ${value})
        ON CONFLICT (key) DO UPDATE SET value = excluded.value`)
    },
    async acquireOrdering(forMs) {
      const holder = randomUUID()
      const acquired = await database.query(sql`
        INSERT INTO homeport.tls AS held (key, value, expires_at)
        VALUES (${ORDERING}, ${holder}, now() + ${`${forMs} milliseconds`}::interval)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
        WHERE held.expires_at < now()
        RETURNING value`)
      if (acquired.length === 0) return null
      return async () => {
        await database.query(sql`DELETE FROM homeport.tls WHERE key = ${ORDERING} AND value = ${holder}`)
      }
    },
  }
}

/** Shares responses to challenges between nodes, because an authority may ask any of them. */
export function databaseResponses(database: Database): SharedResponses {
  return {
    async add(key, response) {
      await database.query(sql`
        INSERT INTO homeport.tls (key, value, expires_at)
        VALUES (${CHALLENGE_PREFIX + key}, ${response}, now() + interval '1 hour')
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`)
    },
    async remove(key) {
      // Also those of nodes that ended during an order.
      await database.query(sql`
        DELETE FROM homeport.tls
        WHERE key LIKE ${`${CHALLENGE_PREFIX}%`} AND (key = ${CHALLENGE_PREFIX + key} OR expires_at < now())`)
    },
    async all() {
      const rows = await database.query(sql`
        SELECT substr(key, ${CHALLENGE_PREFIX.length + 1}::integer) AS key, value FROM homeport.tls
        WHERE key LIKE ${`${CHALLENGE_PREFIX}%`} AND expires_at > now()`)
      return new Map(rows.map(decodeResponse))
    },
  }
}
