import { date, entry, number } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Kind } from '../batch.ts'
import { KEY_SEPARATOR, shownKey } from '../verification.ts'
import { type Member, parseMember } from '../write/relation-rows.ts'
import type { Comparison, Found } from './comparison.ts'
import type { VerifyApp } from './verify-app.ts'

/**
 * Compares members of a relation, which are present or missing. The last change of the owning object here tells whether a missing
 * one may have been removed here. An object that was never changed has lost none: one that was imported without times has the time
 * of its import. Neither has an object without the field.
 */
export async function memberComparison(
  { objects: { database, relations, classes } }: VerifyApp,
  { className, field }: Extract<Kind, { kind: 'relations' }>,
): Promise<Comparison<Member>> {
  const owner = await classes.lookUp(className)
  const owners = owner?.fields.has(field) ? owner.table : undefined
  return {
    read: parseMember,
    keysOf: (member) => [keyOf(member)],
    isCompared: () => true,
    async compare(members) {
      const { rows } = await database.search(sql`
        SELECT place, ${owners ? sql`CASE WHEN owner.updated_at > owner.created_at THEN owner.updated_at END::text` : sql`NULL::text`} AS changed_here
        FROM unnest(
          ${members.map(({ ownerId }) => ownerId)}::text[], ${members.map(({ relatedId }) => relatedId)}::text[]
        ) WITH ORDINALITY AS given (owner_id, related_id, place)
        ${owners ? sql`LEFT JOIN ${owners} AS owner ON owner.id = given.owner_id` : sql``}
        WHERE NOT EXISTS (
          SELECT FROM ${relations} AS stored
          WHERE stored.owner_class = ${className} AND stored.field = ${field}
            AND stored.owner_id = given.owner_id AND stored.related_id = given.related_id)`)
      const missing = new Map(rows.map(entry(number('place'), date.orNull('changed_here'))))
      return members.map((member, index): Found | null => {
        const changedHere = missing.get(index + 1)
        if (changedHere === undefined) return null
        return { what: 'missing', id: shownKey(keyOf(member)), changedThere: null, changedHere, fields: [] }
      })
    },
  }
}

function keyOf({ ownerId, relatedId }: Member): string {
  return ownerId + KEY_SEPARATOR + relatedId
}
