import { entry, number, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { parseWhere } from '../../objects/where/parse.ts'
import { installationTable, type Push } from '../push.ts'
import type { PushTarget } from '../push-request.ts'
import { matches, targetCondition, whereOf } from './targets.ts'

/** The number of devices that a push would reach. */
export interface Audience {
  readonly devices: number
  /** Whether there are more devices than counted. */
  readonly isMore: boolean
  /** By `deviceType`; devices without one are counted under the empty name. */
  readonly byType: { readonly [deviceType: string]: number }
  /**
   * Matching devices that cannot be reached. Only set when the push reaches none, so that the sender does not assume delivery.
   */
  readonly unreachable?: Unreachable
}

/** Devices that match the condition of a push but receive nothing. */
interface Unreachable {
  /** `valid` is not true: their tokens were rejected, or they have unsubscribed. */
  readonly invalid: number
  /** Valid devices that have been inactive for `ACTIVE_DAYS`. */
  readonly inactive: number
}

/** Maximum number of devices that are counted. The count only shows whether a push is for a few devices or for all. */
const MAX_COUNTED = 100_000

/** Counts the devices that a push would reach. @throws ApiError 102; errors of the condition; 124 on timeout */
export async function audienceOf(push: Push, target: Extract<PushTarget, { kind: 'where' }>): Promise<Audience> {
  const { rows } = await push.database.search(sql`
    SELECT type, count(*) AS count
    FROM (
      SELECT coalesce(data->>'deviceType', '') AS type
      FROM ${installationTable(push)}
      WHERE ${matches(push, parseWhere(whereOf(target)))}
      LIMIT ${MAX_COUNTED + 1}
    ) AS target
    GROUP BY type`)
  const byType = Object.fromEntries(rows.map(entry(text('type'), number('count'))))
  const counted = Object.values(byType).reduce((total, count) => total + count, 0)
  const audience = { devices: Math.min(counted, MAX_COUNTED), isMore: counted > MAX_COUNTED, byType }
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
      WHERE ${targetCondition(push, parseWhere(whereOf(target)))}
      LIMIT ${MAX_COUNTED}
    ) AS target`)
  return { invalid: number('invalid')(rows[0]!), inactive: number('inactive')(rows[0]!) }
}
