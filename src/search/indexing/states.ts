import { entry, number } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Search } from '../search.ts'

/** The progress of a class's index. */
export interface IndexState {
  readonly className: string
  readonly fields: readonly string[]
  /** Whether existing objects are being indexed for the first time or again. */
  readonly building: boolean
  /** Number of writes that are not indexed yet. */
  readonly pending: number
}

/** Returns the states of an app's indexes, one for each class with searchable fields. */
export async function indexStates({ objects, indexes }: Search): Promise<IndexState[]> {
  await indexes.compare()
  const pending = await objects.database.query(sql`
    SELECT index_number, count(*) AS pending FROM ${indexes.own('$search_changes')} GROUP BY index_number`)
  const pendingOf = new Map(pending.map(entry(number('index_number'), number('pending'))))
  return indexes.all.flatMap(({ number, tableName, fields, builtTo }) => {
    const schema = objects.classes.all().find((known) => known.tableName === tableName)
    if (!schema) return []
    return [
      {
        className: schema.name,
        fields: [...fields.keys()],
        building: builtTo !== null,
        pending: pendingOf.get(number) ?? 0,
      },
    ]
  })
}
