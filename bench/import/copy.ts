import type { AppDatabase } from '../push/server.ts'

/**
 * Copies the rows of a table by COPY into another one with the same columns and indexes.
 * @returns rows per second
 */
export async function copyTable({ query, table }: AppDatabase, name: string, records: number): Promise<number> {
  const [original, target] = [table(name), table('beside')]
  const [{ data_directory: folder }] = (await query<{ data_directory: string }>('SHOW data_directory')) as [
    { data_directory: string },
  ]
  // A folder writable by the database's user.
  const file = `'${folder}/beside.copy'`
  await query(`COPY ${original} TO ${file}`)
  await query(`CREATE TABLE ${target} (LIKE ${original} INCLUDING ALL)`)
  try {
    // Excludes pending writes of earlier rows.
    await query('CHECKPOINT')
    const began = performance.now()
    await query(`COPY ${target} FROM ${file}`)
    return (records * 1000) / (performance.now() - began)
  } finally {
    await query(`DROP TABLE ${target}`)
    await query(`COPY (SELECT) TO ${file}`)
  }
}
