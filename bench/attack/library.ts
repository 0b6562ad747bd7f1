import { setTimeout as sleep } from 'node:timers/promises'
import { APP_OF_VICTIM, type Victim } from './victim.ts'

/** The searchable class. */
export const LIBRARY = 'Library'
const MAX_OBJECTS = 100_000
const TIMEOUT_MS = 10 * 60_000

/** Creates the class with `objects` objects, at most a hundred thousand, and waits until they are indexed. */
export async function fillLibrary(victim: Victim, objects: number): Promise<void> {
  await victim.requestAsMaster('POST', `/1.1/classes/${LIBRARY}`, { n: 0, text: 'common object 0' })
  const table = `"app_${APP_OF_VICTIM.appId}"."${LIBRARY}"`
  await victim.query(
    `INSERT INTO ${table} (id, created_at, updated_at, acl, readers, writers, data)
     SELECT substr(md5('library ' || n), 1, 24), now() - n * interval '1 second', now(), acl, readers, writers,
       data || jsonb_build_object('n', n, 'text', 'common object' || n || ' ' || md5(n::text) || ' ' || md5((n % 1000)::text))
     FROM ${table}, generate_series(1, $1::integer) AS n`,
    [Math.min(objects, MAX_OBJECTS)],
  )
  await victim.query(`VACUUM ANALYZE ${table}`)
  const path = `/admin/apps/${APP_OF_VICTIM.appId}`
  const fields = { n: { searchable: true }, text: { searchable: true } }
  await victim.requestAsAdministrator('PATCH', `${path}/classes/${LIBRARY}`, { fields })
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(200)) {
    const { classes } = await victim.requestAsAdministrator<{ classes: { building: boolean }[] }>(
      'GET',
      `${path}/search`,
    )
    if (classes.length > 0 && classes.every(({ building }) => !building)) return
  }
  throw new Error('The words of the library were not indexed.')
}
