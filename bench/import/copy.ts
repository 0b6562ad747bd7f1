import type { AppDatabase } from '../push/server.ts'

/** Stores the rows of a table by COPY in another one with the same columns and indexes. @returns rows a second */
export async function copyBeside({ query, table }: AppDatabase, name: string, records: number): Promise<number> {
  const [original, beside] = [table(name), table('beside')]
  const [{ data_directory: folder }] = (await query<{ data_directory: string }>('SHOW data_directory')) as [
    { data_directory: string },
  ]
  // Where the database's own user may write.
  const file = `'${folder}/beside.copy'`
  await query(`COPY ${original} TO ${file}`)
  await query(`CREATE TABLE ${beside} (LIKE ${original} INCLUDING ALL)`)
  try {
    // What the rows before have left to be written is not this one's.
    await query('CHECKPOINT')
    const began = performance.now()
    await query(`COPY ${beside} FROM ${file}`)
    return (records * 1000) / (performance.now() - began)
  } finally {
    await query(`DROP TABLE ${beside}`)
    await query(`COPY (SELECT) TO ${file}`)
  }
}
