import { entry, number, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { parseWhere } from '../../objects/where/parse.ts'
import { installationTable, type Push } from '../push.ts'
import type { PushTarget } from '../push-request.ts'
import { matches, meets, whereOf } from './targets.ts'

/** How many devices a push would reach. */
export interface Audience {
  readonly devices: number
  /** There are more than were counted. */
  readonly isMore: boolean
  /** By `deviceType`; devices without one count under the empty name. */
  readonly byType: { readonly [deviceType: string]: number }
  /** Devices that match and get nothing, where it reaches none: the sender would take the push for delivered. */
  readonly unreachable?: Unreachable
}

/** Devices that match the condition of a push and get nothing all the same. */
interface Unreachable {
  /** Their tokens were refused, or they have unsubscribed: `valid` is not true. */
  readonly invalid: number
  /** Valid ones that were not heard of for `ACTIVE_DAYS`. */
  readonly inactive: number
}

/** So many are counted: who composes a push wants to know whether it is for three or for everybody. */
const MOST_COUNTED = 100_000

/** @throws ApiError 102, and what the condition's parser and translation throw; 124 when it takes too long */
export async function audienceOf(push: Push, target: Extract<PushTarget, { kind: 'where' }>): Promise<Audience> {
  const { rows } = await push.database.search(sql`
    SELECT type, count(*) AS count
    FROM (
      SELECT coalesce(data->>'deviceType', '') AS type
      FROM ${installationTable(push)}
      WHERE ${matches(push, parseWhere(whereOf(target)))}
      LIMIT ${MOST_COUNTED + 1}
    ) AS target
    GROUP BY type`)
  const byType = Object.fromEntries(rows.map(entry(text('type'), number('count'))))
  const counted = Object.values(byType).reduce((total, count) => total + count, 0)
  const audience = { devices: Math.min(counted, MOST_COUNTED), isMore: counted > MOST_COUNTED, byType }
  if (counted > 0) return audience
  const unreachable = await countUnreachable(push, target)
  return unreachable.invalid + unreachable.inactive > 0 ? { ...audience, unreachable } : audience
}

async function countUnreachable(push: Push, target: Extract<PushTarget, { kind: 'where' }>): Promise<Unreachable> {
  const { rows } = await push.database.search(sql`
    SELECT count(*) FILTER (WHERE NOT is_valid) AS invalid, count(*) FILTER (WHERE is_valid) AS inactive
    FROM (
      SELECT coalesce(data->'valid' = 'true'::jsonb, false) AS is_valid
      FROM ${installationTable(push)}
      WHERE ${meets(push, parseWhere(whereOf(target)))}
      LIMIT ${MOST_COUNTED}
    ) AS target`)
  return { invalid: number('invalid')(rows[0]!), inactive: number('inactive')(rows[0]!) }
}
