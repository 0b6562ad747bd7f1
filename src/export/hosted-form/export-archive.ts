import type { Readable } from 'node:stream'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { pack as createPack, type Pack } from 'tar-stream'
import type { Log } from '../../log.ts'
import type { RunningApp } from '../../running-app/running-app.ts'
import { atOneMoment } from '../contents.ts'
import { classSections } from './class-sections.ts'
import { fileSection } from './file-section.ts'
import { hostedSchema } from './hosted-class.ts'
import { inboxSection } from './inbox-section.ts'
import { leaderboardSections } from './leaderboard-sections.ts'
import { messagingSections } from './messaging-sections.ts'
import { partsOf } from './parts.ts'
import type { ExportPosition } from './position.ts'
import type { Section } from './section.ts'

/** The file that records the progress of an export. In the archive it follows each part. */
export const STATE_FILE = 'export.json'

/** The content of `STATE_FILE`. */
export interface ExportState {
  readonly homeport: 'export'
  readonly appId: string
  /** Times of the snapshots that the export shows; several if it was interrupted and resumed. */
  readonly moments: readonly string[]
  /** Where the export resumes; null: it is complete. */
  readonly place: ExportPosition | null
}

/**
 * Streams all data of an app as a tar archive in the hosted service's form (docs/moving-in.md, Export). The data is one
 * snapshot, and the archive is created while it is read, in constant memory.
 * @param from where an interrupted export resumes; the rest shows a later snapshot
 * @param signal when it aborts, the archive ends early
 */
export function exportArchive(app: RunningApp, from: ExportPosition, signal: AbortSignal, log: Log): Readable {
  const pack = createPack()
  const archive = new PassThrough()
  const filled = atOneMoment(app.objects.database, signal, (client) => fill(pack, app, client, from)).catch((error) => {
    if (!signal.aborted) log.error({ app: app.id, error: String(error) }, 'export aborted')
    pack.destroy(error)
  })
  pipeline(pack, archive).catch((error) => archive.destroy(error))
  void filled
  return archive
}

async function fill(pack: Pack, app: RunningApp, client: pg.Client, from: ExportPosition): Promise<void> {
  const { objects } = app
  // Parts resume after a key, so all tables are read in key order through their index.
  await client.query('SET LOCAL enable_sort = off')
  await client.query(`SET LOCAL TIME ZONE 'UTC'`)
  const { rows } = await client.query('SELECT now()::text AS moment')
  const moment = new Date(rows[0].moment).toISOString()
  const state = (position: ExportPosition | null): ExportState => ({
    homeport: 'export',
    appId: app.id,
    moments: [moment],
    place: position,
  })
  await objects.classes.refreshIfChanged()
  const schemas = objects.classes.all()
  for (const schema of schemas) {
    const hosted = hostedSchema(schema, await objects.indexes.list(schema))
    await add(pack, `${schema.name}_all.json`, Buffer.from(`${JSON.stringify(hosted, null, 2)}\n`))
  }
  const sections: Section[] = [
    ...schemas.flatMap((schema) => classSections(objects, client, schema)),
    ...messagingSections(app.messaging, client),
    fileSection(app.files.tables, client),
    inboxSection(app.statuses.tables, client),
    ...(await leaderboardSections(app.leaderboards, client)),
  ]
  for await (const { name, content, next } of partsOf(sections, from)) {
    await add(pack, name, content)
    await add(pack, STATE_FILE, stateFile(state(next)))
  }
  await add(pack, STATE_FILE, stateFile(state(null)))
  pack.finalize()
}

function stateFile(state: ExportState): Buffer {
  return Buffer.from(`${JSON.stringify(state, null, 2)}\n`)
}

/**
 * Resolves when the archive has consumed the file, so that only one part is in memory.
 * @throws when the archive is closed early
 */
function add(pack: Pack, name: string, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    if (pack.destroyed) reject(new Error('the download of the archive was closed'))
    const closed = () => reject(new Error('the download of the archive was closed'))
    pack.once('close', closed)
    const settle = (error?: Error | null) => {
      pack.off('close', closed)
      if (error) reject(error)
      else resolve()
    }
    const entry = pack.entry({ name, mode: 0o600, size: content.length }, settle)
    entry.end(content)
  })
}
