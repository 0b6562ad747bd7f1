import { boolean, number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { sql } from '../../database/sql.ts'
import type { ClassSchema } from './class-schema.ts'
import { type IndexNote, readNote } from './index-note.ts'

/** An index as reported by PostgreSQL. */
export interface ListedIndex {
  readonly name: string
  /**
   * `sorted`: B-tree by keys; `elements`: of arrays and dotted keys; `place`: of GeoPoints; `class`: required by the class
   * itself.
   */
  readonly kind: 'sorted' | 'elements' | 'place' | 'class'
  /** Fields, with a `-` before descending ones; PostgreSQL's expressions for indexes of the class itself. */
  readonly keys: readonly string[]
  readonly unique: boolean
  /** The creator; null for an index of an older version, which did not record it. */
  readonly madeBy: IndexNote['madeBy'] | 'class'
  /** ISO 8601. */
  readonly madeAt: string | null
  readonly bytes: number
  /** How many scans have used it since the statistics of the database were last reset. */
  readonly uses: number
  /** False while it is being built. */
  readonly ready: boolean
  /** Progress of the build, 0 to 1; null when unknown. */
  readonly progress: number | null
}

/** Names of indexes that this server built and may remove. */
export const MADE_NAME = /^(auto|unique)_[0-9a-f]{20}$/

/** Returns all indexes of a class, with their size and use, the oldest first. */
export async function listIndexes(
  database: Database,
  schema: string,
  { tableName }: ClassSchema,
): Promise<ListedIndex[]> {
  const rows = await database.query(sql`
    SELECT
      indexes.relname AS name,
      methods.amname AS method,
      indisunique AS is_unique,
      indisvalid AS is_valid,
      obj_description(indexes.oid, 'pg_class') AS note,
      ARRAY(
        SELECT pg_get_indexdef(indexes.oid, place, true)
        FROM generate_series(1, indnkeyatts) AS place
      ) AS keys,
      pg_relation_size(indexes.oid)::text AS bytes,
      COALESCE(pg_stat_get_numscans(indexes.oid), 0)::text AS uses,
      (SELECT (blocks_done::float / NULLIF(blocks_total, 0))::text
       FROM pg_stat_progress_create_index WHERE index_relid = indexes.oid) AS progress
    FROM pg_index
    JOIN pg_class AS indexes ON indexes.oid = indexrelid
    JOIN pg_am AS methods ON methods.oid = indexes.relam
    JOIN pg_class AS tables ON tables.oid = indrelid
    JOIN pg_namespace AS schemas ON schemas.oid = tables.relnamespace
    WHERE schemas.nspname = ${schema}
      AND tables.relname = ${tableName}
    ORDER BY indexes.oid`)
  return rows.map(listed)
}

function listed(row: Row): ListedIndex {
  const { name, method, note, expressions, isValid, ...figures } = decodeIndex(row)
  const geoField = method === 'gist' ? /geo_point\(data -> '(\w+)'/.exec(expressions[0] ?? '')?.[1] : undefined
  return {
    name,
    ...(note
      ? { ...shownKeys(note), madeBy: note.madeBy, madeAt: note.madeAt }
      : {
          kind: geoField === undefined ? 'class' : 'place',
          keys: geoField === undefined ? expressions.map(systemName) : [geoField],
          madeBy: MADE_NAME.test(name) ? null : 'class',
          madeAt: null,
        }),
    ...figures,
    ready: isValid && (note !== null || !MADE_NAME.test(name)),
  }
}

const decodeIndex = rowDecoder({
  name: text('name'),
  method: text('method'),
  note: text.orNull('note', readNote),
  expressions: texts('keys'),
  isValid: boolean('is_valid'),
  unique: boolean('is_unique'),
  bytes: number('bytes'),
  uses: number('uses'),
  progress: number.orNull('progress'),
})

function shownKeys({ definition }: IndexNote): Pick<ListedIndex, 'kind' | 'keys'> {
  if (definition.kind === 'containment') return { kind: 'elements', keys: [definition.path.join('.')] }
  return { kind: 'sorted', keys: definition.keys.map(({ field, descending }) => (descending ? `-${field}` : field)) }
}

function systemName(expression: string): string {
  const names: { readonly [column: string]: string } = {
    id: 'objectId',
    created_at: 'createdAt',
    updated_at: 'updatedAt',
  }
  return names[expression] ?? expression
}
