import { boolean, date, jsonOrNull, number, rowDecoder, text } from '../../database/decode-row.ts'
import { arrayLiteral, sql } from '../../database/sql.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import type { JsonObject } from '../../values/json.ts'
import { isInternalFile } from '../internal-file.ts'
import { isSampled } from '../sample.ts'
import type { FieldDifference } from '../verification.ts'
import { objectParser, type ParsedObject } from '../write/objects/parse-object.ts'
import { textColumnsOf } from '../write/objects/text-columns.ts'
import { changesOf } from '../write/rewrite-urls.ts'
import { bytesOfRecord, differingBytes } from './compare-bytes.ts'
import { differingLogins } from './compare-logins.ts'
import type { Comparison, Found, Remark } from './comparison.ts'
import type { Rewriting, VerifyApp } from './verify-app.ts'

/** A placeholder for times that the source does not specify. An import uses the current time for these. */
const NO_DATE = '0001-01-01T00:00:00.000Z'

/** Maximum fields of an object in a finding, and maximum characters of each value. */
const MAX_FIELDS = 5
const SHOWN = 100

/** Fields whose values must not appear in a report. */
const SECRETS: { readonly [className: string]: ReadonlySet<string> } = {
  _User: new Set(['authData']),
  _Installation: new Set(['deviceToken', 'installationId']),
}

/** Compares objects, which are equal if both times, the ACL and all fields are equal; users also need equal credentials. */
export async function objectComparison(
  app: VerifyApp,
  className: string,
  share: number,
  rewriting: Rewriting | null,
): Promise<Comparison<ParsedObject>> {
  const schema = await app.objects.classes.lookUp(className)
  return {
    read: objectParser({ className, now: NO_DATE, textColumns: textColumnsOf(schema) }),
    keysOf: ({ id, hasId }) => (hasId ? [id] : []),
    isCompared: ({ id }) => isSampled(id, share),
    async compare(objects) {
      if (!schema) return objects.map(missing)
      const rows = await differingRows(app, schema, objects, share, await rewrittenFields(app, objects, rewriting))
      const compared = objects.filter(({ id }) => isSampled(id, share))
      const logins = className === '_User' ? await differingLogins(app, compared) : null
      const bytes = className === '_File' ? await differingBytes(app.files, compared.flatMap(bytesOfRecord)) : null
      return objects.map((object, index): Found | Remark | null => {
        const row = rows.get(index)
        if (row && !row.isHere) return missing(object)
        const login = logins?.get(object.id)
        const [wanted] = bytes ? bytesOfRecord(object) : []
        const fields = [
          ...(row ? row.fields : []),
          ...(login?.fields ?? []),
          ...((wanted && bytes?.get(wanted.key)) ?? []),
        ]
        const notes = login?.notes ?? []
        if (fields.length === 0) return notes.length > 0 ? { what: 'same', notes } : null
        const { createdAt, updatedAt, id } = object
        const changedThere = known(updatedAt) ?? known(createdAt)
        return { what: 'different', id, changedThere, changedHere: row?.updatedAt ?? changedThere, fields, notes }
      })
    },
  }
}

function missing({ id, createdAt }: ParsedObject): Found {
  return { what: 'missing', id, changedThere: known(createdAt), changedHere: null, fields: [] }
}

function known(date: string): string | null {
  return date === NO_DATE ? null : date
}

interface DifferingRow {
  readonly isHere: boolean
  readonly updatedAt: string | null
  readonly fields: readonly FieldDifference[]
}

/** Returns the rewritten values of the fields with URLs of files, for each object. */
async function rewrittenFields(
  app: VerifyApp,
  objects: readonly ParsedObject[],
  rewriting: Rewriting | null,
): Promise<JsonObject[]> {
  const rewritten: JsonObject[] = objects.map(() => ({}))
  if (!rewriting) return rewritten
  const hits = objects.map(({ fields }, key) => ({ key, values: fields }))
  const { changes } = await changesOf(app, hits, rewriting)
  for (const { key, values } of changes) rewritten[key] = values
  return rewritten
}

/**
 * Looks up objects by id. The comparison runs in the database, so that objects are not transferred.
 * @returns differences by index
 */
async function differingRows(
  { objects: { database } }: VerifyApp,
  schema: ClassSchema,
  objects: readonly ParsedObject[],
  share: number,
  rewritten: readonly JsonObject[],
): Promise<Map<number, DifferingRow>> {
  const ignored = objects.map((object) => arrayLiteral(ignoredFields(schema.name, object)))
  const fields = objects.map((object) => {
    const left = new Set(ignoredFields(schema.name, object))
    return JSON.stringify(Object.fromEntries(Object.entries(object.fields).filter(([name]) => !left.has(name))))
  })
  const { rows } = await database.search(sql`
    WITH given AS (
      SELECT
        id, nullif(created_at, ${NO_DATE}::timestamptz) AS created_at, nullif(updated_at, ${NO_DATE}::timestamptz) AS updated_at,
        acl::jsonb AS acl, ignored::text[] AS ignored, is_sampled::boolean AS is_sampled, data, rewritten, place
      FROM ROWS FROM (
        unnest(${objects.map(({ id }) => id)}::text[]),
        unnest(${objects.map(({ createdAt }) => createdAt)}::timestamptz[]),
        unnest(${objects.map(({ updatedAt }) => updatedAt)}::timestamptz[]),
        unnest(${objects.map(({ acl }) => acl.acl)}::text[]),
        unnest(${ignored}::text[]),
        unnest(${objects.map(({ id }) => String(isSampled(id, share)))}::text[]),
        jsonb_array_elements(${`[${fields.join(',')}]`}::jsonb),
        jsonb_array_elements(${JSON.stringify(rewritten)}::jsonb)
      ) WITH ORDINALITY AS given (id, created_at, updated_at, acl, ignored, is_sampled, data, rewritten, place)
    )
    SELECT
      place, stored.id IS NOT NULL AS is_here,
      stored.created_at::text AS created_at, stored.updated_at::text AS updated_at,
      stored.created_at <> given.created_at AS other_created_at, stored.updated_at <> given.updated_at AS other_updated_at,
      stored.acl IS DISTINCT FROM given.acl AS other_acl,
      left(given.acl::text, ${SHOWN}::integer) AS acl_there, left(stored.acl::text, ${SHOWN}::integer) AS acl_here,
      differing.fields
    FROM given
    LEFT JOIN ${schema.table} AS stored ON stored.id = given.id
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('field', field, 'there', there, 'here', here) ORDER BY field) AS fields
      FROM (
        SELECT
          coalesce(theirs.key, ours.key) AS field,
          left(theirs.value::text, ${SHOWN}::integer) AS there, left(ours.value::text, ${SHOWN}::integer) AS here
        FROM jsonb_each(given.data) AS theirs
        FULL JOIN jsonb_each(stored.data - given.ignored) AS ours ON ours.key = theirs.key
        WHERE ours.value IS DISTINCT FROM theirs.value
          AND (ours.value = given.rewritten->theirs.key) IS NOT TRUE
        ORDER BY 1
        LIMIT ${MAX_FIELDS}::integer
      ) AS compared
      WHERE stored.id IS NOT NULL AND stored.data - given.ignored <> given.data
    ) AS differing ON true
    WHERE stored.id IS NULL OR given.is_sampled AND (
      stored.created_at <> given.created_at OR stored.updated_at <> given.updated_at
      OR stored.acl IS DISTINCT FROM given.acl OR differing.fields IS NOT NULL)`)
  return new Map(
    rows.map((row) => {
      const { index, isHere, createdAt, updatedAt, otherCreatedAt, otherUpdatedAt, otherAcl, ...found } = decode(row)
      const object = objects[index]!
      const different: FieldDifference[] = [
        ...(otherCreatedAt ? [time('createdAt', object.createdAt, createdAt!)] : []),
        ...(otherUpdatedAt ? [time('updatedAt', object.updatedAt, updatedAt!)] : []),
        ...(otherAcl ? [{ field: 'ACL', there: found.aclThere ?? 'null', here: found.aclHere ?? 'null' }] : []),
        ...withoutSecrets(schema.name, found.fields ?? []),
      ]
      const fields = different.filter((one) => !isMovedOn(schema.name, one))
      return [index, { isHere, updatedAt, fields }] as const
    }),
  )
}

function time(field: string, there: string, here: string): FieldDifference {
  return { field, there: JSON.stringify(there), here: JSON.stringify(here) }
}

const decode = rowDecoder({
  index: number('place', (number) => number - 1),
  isHere: boolean('is_here'),
  createdAt: date.orNull('created_at'),
  updatedAt: date.orNull('updated_at'),
  otherCreatedAt: boolean.orNull('other_created_at'),
  otherUpdatedAt: boolean.orNull('other_updated_at'),
  otherAcl: boolean('other_acl'),
  /** NULL: an object without an ACL, which is public. */
  aclThere: text.orNull('acl_there'),
  aclHere: text.orNull('acl_here'),
  fields: jsonOrNull<readonly FieldDifference[]>('fields'),
})

function withoutSecrets(className: string, fields: readonly FieldDifference[]): FieldDifference[] {
  return fields.map((one) =>
    typeof one.field === 'string' && SECRETS[className]?.has(one.field) ? { ...one, there: null, here: null } : one,
  )
}

/** Returns fields that the server computes: the URL of a file whose bytes are stored here. */
function ignoredFields(className: string, { fields }: ParsedObject): string[] {
  return className === '_File' && isInternalFile(fields) ? ['url'] : []
}

/** Returns whether only the time of a conversation's last message has advanced, which does not count as a change. */
function isMovedOn(className: string, { field, there, here }: FieldDifference): boolean {
  if (className !== '_Conversation' || field !== 'lm' || here === null) return false
  const [before, now] = [there, here].map((text) => /\d{4}-\d{2}-\d{2}T[\d:.]+Z/.exec(text ?? '')?.[0] ?? '')
  return now! > before!
}
