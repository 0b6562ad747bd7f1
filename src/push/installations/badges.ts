import { entry, number, text } from '../../database/decode-row.ts'
import type { Row } from '../../database/row.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { installationTable, type Push } from '../push.ts'
import { DEVICE_TOKEN } from './installation-identity.ts'

/*
 * Badge counters of iOS devices, which pushes with the badge `Increment` raise (protocol/push, Content for iOS). Devices are
 * identified by the ids of their installations, or by their tokens if the push names tokens.
 */

/** Raises the counters of devices by one. Does not count as activity: `updatedAt` is unchanged. */
export async function raiseBadges(
  push: Push,
  ids: readonly string[],
  isNamed: boolean,
): Promise<ReadonlyMap<string, number>> {
  return numbersOf(
    await push.database.query(sql`
      UPDATE ${installationTable(push)}
      SET data = jsonb_set(data, '{badge}', to_jsonb(
        CASE WHEN jsonb_typeof(data->'badge') = 'number' THEN (data->>'badge')::numeric + 1 ELSE 1 END))
      WHERE ${idOf(isNamed)} = ANY(${ids}::text[])
      RETURNING ${idOf(isNamed)} AS id, data->>'badge' AS badge`),
  )
}

export async function readBadges(
  push: Push,
  ids: readonly string[],
  isNamed: boolean,
): Promise<ReadonlyMap<string, number>> {
  return numbersOf(
    await push.database.query(sql`
      SELECT ${idOf(isNamed)} AS id, data->>'badge' AS badge
      FROM ${installationTable(push)}
      WHERE ${idOf(isNamed)} = ANY(${ids}::text[]) AND jsonb_typeof(data->'badge') = 'number'`),
  )
}

function idOf(isNamed: boolean): Sql {
  return isNamed ? DEVICE_TOKEN : raw('id')
}

function numbersOf(rows: readonly Row[]): ReadonlyMap<string, number> {
  return new Map(rows.map(entry(text('id'), number('badge'))))
}
