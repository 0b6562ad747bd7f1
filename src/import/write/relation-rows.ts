import { number } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { ApiError, errors } from '../../errors.ts'
import { notice } from '../../notices/notice.ts'
import type { ObjectStore } from '../../objects/store.ts'
import { isJsonObject, type Json, member, parseJson } from '../../values/json.ts'
import { checkKeyName, checkObjectId } from '../../values/names.ts'
import type { Kind } from '../batch.ts'
import type { ImportApp } from './import-app.ts'
import { numberOfPart, pulledTables } from './pulled-rows.ts'

type RelationKind = Extract<Kind, { kind: 'relations' }>

/** A member of a relation: the object with the field, and the related object. */
export interface Member {
  readonly ownerId: string
  readonly relatedId: string
}

/** Parses `{"owningId":…,"relatedId":…}` (protocol/moving-in, Import forms). @throws ApiError 104, 107 */
export function parseMember(text: string): Member {
  const line = parseJson(text, notice('theLine'))
  if (!isJsonObject(line)) throw errors.malformedJson(notice('lineNotObject'))
  return { ownerId: idOf(member(line, 'owningId')), relatedId: idOf(member(line, 'relatedId')) }
}

/** Accepts an id, a Pointer with one, or an ObjectId as `mongoexport` writes it. */
function idOf(value: Json | undefined): string {
  if (!isJsonObject(value)) return checkObjectId(value)
  return checkObjectId(member(value, 'objectId') ?? member(value, '$oid'))
}

/**
 * Ensures that the class has the relation field.
 * @returns why it cannot have the field, which rejects all members; null on success
 */
export async function relationField(store: ObjectStore, kind: RelationKind, dryRun: boolean): Promise<ApiError | null> {
  const { className, field, targetClass } = kind
  try {
    checkKeyName(field)
    const known = (await store.classes.lookUp(className))?.fields.get(field)?.type
    const target = targetClass ?? (known?.type === 'Relation' ? known.className : null)
    if (target === null) {
      throw errors.invalidRelation(
        notice('targetClassUnknown', { field, className, ofClass: className, ofField: field }),
      )
    }
    if (dryRun) return null
    await store.classes.ensureClass(className)
    await store.classes.ensureFields(className, new Map([[field, { type: 'Relation', className: target }]]))
    return null
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error
  }
}

/**
 * Writes members of a relation.
 * @param source the app that is pulled, which is recorded as the source of these members
 * @returns the number of new members
 */
export async function writeMembers(
  transaction: Executor,
  app: ImportApp,
  { className, field }: RelationKind,
  members: readonly Member[],
  source?: string,
): Promise<number> {
  const part =
    source === undefined ? null : await numberOfPart(transaction, pulledTables(app), { source, className, field })
  const onConflict = sql`DO UPDATE SET pulled_by = excluded.pulled_by WHERE stored.pulled_by IS DISTINCT FROM excluded.pulled_by`
  const [row] = await transaction.query(sql`
    WITH written AS (
      INSERT INTO ${app.objects.relations} AS stored (owner_class, field, owner_id, related_id, pulled_by)
      SELECT DISTINCT ${className}::text, ${field}::text, owner_id, related_id, ${part}::integer
      FROM unnest(
        ${members.map(({ ownerId }) => ownerId)}::text[], ${members.map(({ relatedId }) => relatedId)}::text[]
      ) AS given (owner_id, related_id)
      ON CONFLICT (owner_class, field, owner_id, related_id) ${part === null ? sql`DO NOTHING` : onConflict}
      RETURNING xmax = 0 AS is_new
    )
    SELECT count(*) FILTER (WHERE is_new)::integer AS written FROM written`)
  return number('written')(row!)
}
