import { type Decoder, json, number, rowDecoder, text } from '../../database/decode-row.ts'
import { isTimeout } from '../../database/faults.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { type Caller, MASTER } from '../../objects/access/caller.ts'
import { whereContext } from '../../objects/store.ts'
import { parseWhere } from '../../objects/where/parse.ts'
import { whereToSql } from '../../objects/where/to-sql.ts'
import { dependsOnOthers, type Where } from '../../objects/where/tree.ts'
import type { JsonObject } from '../../values/json.ts'
import { INSTALLATION, installationTable, type Push } from '../push.ts'
import type { PushTarget } from '../push-request.ts'

/** An installation as stored. */
export interface Installation {
  readonly id: string
  readonly data: JsonObject
}

export interface TargetPage {
  readonly installations: readonly Installation[]
  /** The last id that the page covers; null when it is the last page. */
  readonly until: string | null
}

type WhereTarget = Extract<PushTarget, { kind: 'where' }>

/** Devices that have been inactive for longer receive nothing (protocol/push, Life of an installation). */
export const ACTIVE_DAYS = 90

/** Installations scanned at a time when a condition is too slow for the whole table. */
const WINDOW = 20_000

/** Returns the condition of a push as that of a query (protocol/push, Request: where and channels combine with AND). */
export function whereOf({ where, channels }: WhereTarget): JsonObject {
  if (channels.length === 0) return where
  const inChannels = { channels: { $in: [...channels] } }
  if (!Object.hasOwn(where, 'channels')) return { ...where, ...inChannels }
  // The condition itself stays outside of `$and`, which must not contain `$nearSphere`.
  return { ...where, $and: [...(Array.isArray(where.$and) ? where.$and : []), inChannels] }
}

/** Returns the target of a push as shown in its record. */
export function shownTarget(target: PushTarget): JsonObject {
  switch (target.kind) {
    case 'where':
      return { ...whereOf(target), valid: true }
    case 'devices':
      return { device_type: target.deviceType, device_ids: target.tokens.length }
    case 'absent':
      return { objectId: { $in: [...target.ids] }, valid: true }
  }
}

/** Returns whether a field of installations has the type Date. */
export function isDateField({ objects }: Push, field: string): boolean {
  return objects.classes.get(INSTALLATION)?.fields.get(field)?.type.type === 'Date'
}

/**
 * Checks a target in advance, so that errors are reported before sending. Pushes are sent without permission checks, and their
 * recipients reveal data about the condition. So pushes of clients are limited to conditions on installations.
 * @throws ApiError 102, and errors of the condition
 */
export function checkTarget({ objects }: Push, target: PushTarget, { master }: Pick<Caller, 'master'>): void {
  if (target.kind !== 'where') return
  const where = parseWhere(whereOf(target))
  if (!master && dependsOnOthers(where))
    throw errors.invalidQuery('The condition of a push from a client cannot contain inner queries or $relatedTo.')
  whereToSql(where, INSTALLATION, whereContext(objects, MASTER))
}

/**
 * Returns a page of the installations after an id that a push is for, ordered by id: at most `limit`.
 * @throws errors of the condition
 */
export async function targetsAfter(push: Push, target: WhereTarget, after: string, limit: number): Promise<TargetPage> {
  const where = parseWhere(whereOf(target))
  try {
    const installations = await matching(push, where, sql`id > ${after}`, limit)
    return { installations, until: installations.length < limit ? null : installations.at(-1)!.id }
  } catch (error) {
    if (!isTimeout(error)) throw error
    // It matches few rows and no index serves it, so the table is scanned in windows.
    return windowAfter(push, where, after, limit)
  }
}

/** Returns the installations of a range again, after a crash. */
export function targetsBetween(
  push: Push,
  target: WhereTarget,
  after: string,
  until: string | null,
): Promise<Installation[]> {
  const range = until === null ? sql`id > ${after}` : sql`id > ${after} AND id <= ${until}`
  return matching(push, parseWhere(whereOf(target)), range, null)
}

/** Returns installations by id, without those that were deleted or no longer receive pushes. */
export function targetsListed(push: Push, ids: readonly string[]): Promise<Installation[]> {
  return matching(push, null, sql`id = ANY(${ids}::text[])`, null)
}

/** Returns whether a push is for more than `limit` installations. */
export async function areMoreThan(push: Push, target: WhereTarget, limit: number): Promise<boolean> {
  const { rows } = await push.database.search(sql`
    SELECT count(*) AS count
    FROM (
      SELECT
      FROM ${installationTable(push)}
      WHERE ${matches(push, parseWhere(whereOf(target)))}
      LIMIT ${limit + 1}
    ) AS target`)
  return number('count')(rows[0]!) > limit
}

async function windowAfter(push: Push, where: Where, after: string, limit: number): Promise<TargetPage> {
  const { rows } = await push.database.search(sql`
    SELECT id
    FROM ${installationTable(push)}
    WHERE id > ${after}
    ORDER BY id
    OFFSET ${WINDOW - 1}
    LIMIT 1`)
  const end = rows[0] === undefined ? null : text('id')(rows[0])
  const range = end === null ? sql`id > ${after}` : sql`id > ${after} AND id <= ${end}`
  const installations = await matching(push, where, range, limit)
  return { installations, until: installations.length < limit ? end : installations.at(-1)!.id }
}

async function matching(push: Push, where: Where | null, range: Sql, limit: number | null): Promise<Installation[]> {
  const { objects } = push
  const { rows, milliseconds } = await push.database.search(sql`
    SELECT id, data
    FROM ${installationTable(push)}
    WHERE ${range} AND ${matches(push, where)}
    ORDER BY id
    ${limit === null ? raw('') : sql`LIMIT ${limit}`}`)
  if (where) objects.indexes.observe(objects.classes.get(INSTALLATION)!, where, [], milliseconds)
  return rows.map(installationOf)
}

/** Returns the SQL condition for installations that receive a push. */
export function matches(push: Push, where: Where | null): Sql {
  return sql`data->'valid' = 'true'::jsonb
      AND updated_at > now() - ${`${ACTIVE_DAYS} days`}::interval
      AND ${targetCondition(push, where)}`
}

/** Returns the condition of a push alone, regardless of whether installations can be reached. */
export function targetCondition({ objects }: Push, where: Where | null): Sql {
  return where ? whereToSql(where, INSTALLATION, whereContext(objects, MASTER)) : raw('TRUE')
}

const installationOf: Decoder<Installation> = rowDecoder({ id: text('id'), data: json<JsonObject>('data') })
