import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { createObject } from '../../objects/writing/create.ts'
import { INSTALLATION, installationTable } from '../push.ts'
import { keepHouse, startHousekeeping } from './housekeeping.ts'

const bench = await makePush()
const { push, database } = bench
const { records, pushes, contents, messages, requests, logins } = push.tables

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** The current time, because the running app also does its housekeeping, half a minute after it was opened. */
const NOW = Date.now()

const ago = (age: number) => sql`${new Date(NOW - age).toISOString()}::timestamptz`
const names = async (statement: Sql) => (await database.query(statement)).map((row) => String(row.name))

async function installed(id: string, age: number): Promise<void> {
  await database.query(sql`
    INSERT INTO ${installationTable(push)} (id, created_at, updated_at, data)
    VALUES (${id}, ${ago(300 * DAY)}, ${ago(age)}, ${JSON.stringify({ installationId: id })}::jsonb)`)
}

const installations = () => names(sql`SELECT id AS name FROM ${installationTable(push)} ORDER BY id`)

beforeEach(async () => {
  await bench.clear()
  for (const table of [records, contents, requests, logins]) await database.query(sql`DELETE FROM ${table}`)
})

describe('installations', () => {
  it('are deleted when they were not updated for more than 90 days', async () => {
    await installed('old', 90 * DAY + MINUTE)
    await installed('young', 90 * DAY - MINUTE)
    await keepHouse(push, NOW)
    expect(await installations()).toEqual(['young'])
  })

  it('are deleted in any number', async () => {
    await database.query(sql`
      INSERT INTO ${installationTable(push)} (id, created_at, updated_at, data)
      SELECT 'i' || n, ${ago(100 * DAY)}, ${ago(100 * DAY)}, '{}' FROM generate_series(1, 2500) AS n`)
    await installed('young', 0)
    const statements = vi.spyOn(database, 'query')
    onTestFinished(() => statements.mockRestore())
    await Promise.all([keepHouse(push, NOW), keepHouse(push, NOW)])
    expect(statements).toHaveBeenCalled()
    expect(statements.mock.calls.length).toBeLessThan(30)
    expect(await installations()).toEqual(['young'])
  })

  it('are deleted with the members of their relations', async () => {
    const user = { __type: 'Pointer', className: 'Owner', objectId: 'o' }
    const { id } = await createObject(
      push.objects,
      INSTALLATION,
      { owners: { __op: 'AddRelation', objects: [user] } },
      MASTER,
    )
    await database.query(sql`UPDATE ${installationTable(push)} SET updated_at = ${ago(100 * DAY)} WHERE id = ${id}`)
    await keepHouse(push, NOW)
    expect(await names(sql`SELECT owner_id AS name FROM ${push.objects.relations}`)).toEqual([])
  })

  it('are skipped while another node is changing them', async () => {
    await installed('old', 100 * DAY)
    await database.transaction(async (transaction) => {
      await transaction.query(sql`UPDATE ${installationTable(push)} SET updated_at = ${ago(0)} WHERE id = 'old'`)
      await keepHouse(push, NOW)
    })
    expect(await installations()).toEqual(['old'])
  })
})

describe('records of pushes', () => {
  async function recorded(id: string, age: number, quiet: number, pushEnded: boolean): Promise<void> {
    await database.query(sql`
      INSERT INTO ${records} (notification_id, id, created_at, updated_at, msg, target, status, prod, service)
      VALUES (${id}, ${id}, ${ago(age)}, ${ago(quiet)}, '{}', '{}', 'done', 'prod', 'push')`)
    await database.query(sql`
      INSERT INTO ${pushes} (id, notification_id, created_at, request, ended_at)
      VALUES (${id}, ${id}, ${ago(age)}, '{}', ${pushEnded ? ago(age) : null}::timestamptz)`)
  }

  it('are deleted with their pushes after 7 days, unless devices still need to be sent to', async () => {
    await recorded('old', 7 * DAY + MINUTE, 7 * DAY, true)
    await recorded('young', 7 * DAY - MINUTE, 6 * DAY, true)
    await recorded('under way', 8 * DAY, 8 * DAY, false)
    await recorded('in use', 8 * DAY, MINUTE, true)
    await keepHouse(push, NOW)
    const left = ['in use', 'under way', 'young']
    expect(await names(sql`SELECT id AS name FROM ${records} ORDER BY id`)).toEqual(left)
    expect(await names(sql`SELECT id AS name FROM ${pushes} ORDER BY id`)).toEqual(left)
  })
})

it('deletes expired messages, even if many devices wait for one', async () => {
  for (const [id, age] of [
    ['expired', MINUTE],
    ['wanted', -MINUTE],
  ] as const) {
    await database.query(sql`INSERT INTO ${contents} VALUES (${id}, ${id}, '{}', ${ago(age)})`)
    await database.query(sql`INSERT INTO ${messages} SELECT 'd' || n, ${id} FROM generate_series(1, 1500) AS n`)
  }
  await keepHouse(push, NOW)
  expect(await names(sql`SELECT id AS name FROM ${contents}`)).toEqual(['wanted'])
  expect(await names(sql`SELECT DISTINCT content_id AS name FROM ${messages}`)).toEqual(['wanted'])
})

it('deletes request ids after 5 minutes', async () => {
  for (const [id, age] of [
    ['old', 5 * MINUTE + 1000],
    ['young', 5 * MINUTE - 1000],
  ] as const)
    await database.query(sql`INSERT INTO ${requests} VALUES (${id}, 'p', ${ago(age)})`)
  await keepHouse(push, NOW)
  expect(await names(sql`SELECT req_id AS name FROM ${requests}`)).toEqual(['young'])
})

it('deletes logins without an installation after 90 days', async () => {
  await installed('a known one', 0)
  await database.query(sql`
    INSERT INTO ${logins} SELECT 'm' || n, ${ago(0)} FROM generate_series(1, 5100) AS n`)
  for (const [id, age] of [
    ['a known one', 100 * DAY],
    ['an old one', 90 * DAY + MINUTE],
    ['a young one', 90 * DAY - MINUTE],
    ['z, the last', 100 * DAY],
  ] as const)
    await database.query(sql`INSERT INTO ${logins} VALUES (${id}, ${ago(age)})`)
  await keepHouse(push, NOW)
  expect(
    await names(sql`SELECT installation_id AS name FROM ${logins} WHERE installation_id !~ '^m' ORDER BY 1`),
  ).toEqual(['a known one', 'a young one'])
})

describe('housekeeping', () => {
  it('repeats until it is stopped, even after a failure', async () => {
    const warn = vi.spyOn(push.log, 'warn').mockReturnValue(undefined)
    onTestFinished(() => warn.mockRestore())
    await installed('old', 100 * DAY)
    const now = vi
      .fn(() => NOW)
      .mockImplementationOnce(() => {
        throw new Error('something is wrong')
      })
    const stop = startHousekeeping(push, { delay: 0, interval: 1, now })
    onTestFinished(stop)
    await vi.waitFor(async () => expect(await installations()).toEqual([]), 10_000)
    await installed('old', 100 * DAY)
    await vi.waitFor(async () => expect(await installations()).toEqual([]), 10_000)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('does nothing when it is stopped before its first run', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const now = vi.fn(() => NOW)
    startHousekeeping(push, { delay: 10, interval: 10, now })()
    vi.advanceTimersByTime(1000)
    expect(now).not.toHaveBeenCalled()
  })

  it('stops after the current statement', async () => {
    const query = vi.spyOn(database, 'query')
    onTestFinished(() => query.mockRestore())
    await keepHouse(push, NOW, AbortSignal.abort())
    expect(query).not.toHaveBeenCalled()
  })
})
