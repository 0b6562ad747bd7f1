import { expect, test } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { sql } from '../database/sql.ts'
import { ChallengeResponses } from './challenge-responses.ts'
import { databaseResponses, databaseStore } from './database-store.ts'

const database = await scratchDatabase()
const [one, other] = [databaseStore(database), databaseStore(database)]

test('what one node stores is read by the others', async () => {
  expect(await other.get('api.example.org.pem')).toBeNull()
  await one.put('api.example.org.pem', 'first')
  await one.put('api.example.org.pem', 'second')
  expect(await other.get('api.example.org.pem')).toBe('second')
})

test('at most one node orders, until it releases the right or has died', async () => {
  const attempts = await Promise.all(Array.from({ length: 8 }, () => one.acquireOrdering(60_000)))
  const acquired = attempts.filter((release) => release !== null)
  expect(acquired).toHaveLength(1)
  expect(await other.acquireOrdering(60_000)).toBeNull()
  await acquired[0]!()
  const later = await other.acquireOrdering(60_000)
  expect(later).not.toBeNull()
  // The node has died, and its right has ended.
  await database.query(sql`UPDATE homeport.tls SET expires_at = now() - interval '1 second' WHERE key = 'ordering'`)
  const successor = await one.acquireOrdering(60_000)
  expect(successor).not.toBeNull()
  // A node that was only slow does not release the right of its successor.
  await later!()
  expect(await other.acquireOrdering(60_000)).toBeNull()
  await successor!()
})

test('each node responds to challenges of the others while their orders are open', async () => {
  const [asking, asked] = [
    new ChallengeResponses(databaseResponses(database)),
    new ChallengeResponses(databaseResponses(database)),
  ]
  expect(asked.mayBeAsked).toBe(true)
  await asking.add('token', 'response')
  expect(await asked.find('token')).toBe('response')
  await asking.remove('token')
  expect(await asked.find('token')).toBeNull()
  expect(await databaseResponses(database).all()).toEqual(new Map())
})

test('requests for unknown tokens share reads of the database', async () => {
  let reads = 0
  const responses = new ChallengeResponses({
    add: async () => {},
    remove: async () => {},
    async all() {
      reads++
      return new Map()
    },
  })
  const found = await Promise.all(Array.from({ length: 1000 }, (_, index) => responses.find(`token-${index}`)))
  expect(found.every((response) => response === null)).toBe(true)
  expect(reads).toBe(1)
  expect(new ChallengeResponses(null).mayBeAsked).toBe(false)
})
