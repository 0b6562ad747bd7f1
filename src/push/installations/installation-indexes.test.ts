import { beforeAll, describe, expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { whereContext } from '../../objects/store.ts'
import { parseWhere } from '../../objects/where/parse.ts'
import { whereToSql } from '../../objects/where/to-sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { INSTALLATION, installationTable } from '../push.ts'
import { DEVICE_TOKEN, INSTALLATION_ID } from './installation-identity.ts'
import { whereOf } from './targets.ts'

const { push, database } = await makePush()

/** Returns the indexes that serve a condition, planned like queries of unknown cost. */
async function indexesFor(condition: Sql): Promise<string[]> {
  const { rows } = await database.search(sql`
    EXPLAIN SELECT id, data FROM ${installationTable(push)} WHERE ${condition}`)
  const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n')
  return [...plan.matchAll(/(?:Index Scan on|Index Scan using|Index Only Scan using) (\w+)/g)].map(([, name]) => name!)
}

const targets = (where: JsonObject, channels: string[] = []) =>
  whereToSql(parseWhere(whereOf({ kind: 'where', where, channels })), INSTALLATION, whereContext(push.objects, MASTER))

beforeAll(async () => {
  await database.query(sql`
    INSERT INTO ${installationTable(push)} (id, created_at, updated_at, data)
    SELECT 'i' || n, now(), now() - n * interval '1 minute', jsonb_build_object(
      'installationId', 'phone' || n, 'deviceToken', 'token' || n, 'valid', true,
      'channels', jsonb_build_array('client' || n, 'all'))
    FROM generate_series(1, 20000) AS n`)
  await database.query(sql`ANALYZE ${installationTable(push)}`)
})

describe('with many installations', () => {
  it.each<[string, Sql, string]>([
    ['with one of some channels', targets({}, ['client7', 'client8']), 'installation_channels'],
    ['with one channel', targets({ channels: 'client7' }), 'installation_channels'],
    ['with an installation id, as pushes name it', targets({ installationId: 'phone7' }), 'installation_id'],
    ['with a token, as pushes name it', targets({ deviceToken: 'token7' }), 'installation_token'],
    ['with one of several installation ids', sql`${INSTALLATION_ID} = ANY(${['phone7']}::text[])`, 'installation_id'],
    ['with a token', sql`${DEVICE_TOKEN} = ${'token7'}::text`, 'installation_token'],
    ['without news for long', sql`updated_at < now() - interval '19990 minutes'`, 'installation_activity'],
  ])('finds those %s by an index', async (_, condition, index) => {
    expect(await indexesFor(condition)).toContain(index)
  })

  it('finds a device by either id with both indexes together', async () => {
    const either = sql`${INSTALLATION_ID} = ${'phone7'}::text OR ${DEVICE_TOKEN} = ${'token7'}::text OR id = ${'i7'}::text`
    expect(await indexesFor(either)).toEqual(expect.arrayContaining(['installation_id', 'installation_token']))
  })
})
