import { number } from '../../database/decode-row.ts'
import { isMissingTable } from '../../database/faults.ts'
import { join, raw, sql } from '../../database/sql.ts'
import type { ObjectStore } from '../store.ts'

/**
 * Returns the names of the classes that have an object with an id: one primary key lookup in each, whatever their size. Objects
 * of different classes may have the same id.
 */
export async function classesOfObject(store: ObjectStore, id: string): Promise<string[]> {
  await store.classes.refreshIfChanged()
  try {
    return await lookUp(store, id)
  } catch (error) {
    // Another node has deleted a class meanwhile.
    if (!isMissingTable(error)) throw error
    await store.classes.refreshIfChanged()
    return lookUp(store, id)
  }
}

async function lookUp({ classes, database }: ObjectStore, id: string): Promise<string[]> {
  const all = classes.all()
  if (all.length === 0) return []
  const each = all.map(({ table }, index) => sql`SELECT ${raw(String(index))} AS class FROM ${table} WHERE id = ${id}`)
  const { rows } = await database.search(join(each, ' UNION ALL '))
  return rows.map((row) => all[number('class')(row)]!.name).sort()
}
