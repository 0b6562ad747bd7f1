import { expect, it } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { sql } from '../database/sql.ts'
import { closedTo } from './admission.ts'

const { messaging, database } = await makeMessaging()

it('a conversation is closed to the clients that it blocks or that block it, and to no others', async () => {
  const { blocks, clientBlocks } = messaging.tables
  await database.query(
    sql`INSERT INTO ${blocks} (conv_id, client_id) VALUES ('a', 'tom'), ('b', 'jerry'), ('c', 'tom')`,
  )
  await database.query(sql`INSERT INTO ${clientBlocks} (client_id, conv_id) VALUES ('tom', 'd'), ('jerry', 'e')`)
  const among = ['a', 'b', 'd', 'e', 'f']
  expect([...(await closedTo(messaging, 'tom', among))].toSorted()).toEqual(['a', 'd'])
  expect([...(await closedTo(messaging, 'jerry', among))].toSorted()).toEqual(['b', 'e'])
  expect([...(await closedTo(messaging, 'spike', among))]).toEqual([])
})
