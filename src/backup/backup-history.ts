import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const TRIGGERS = ['manual', 'schedule', 'wal'] as const

export const backupRun = z.object({
  name: z.string(),
  trigger: z.enum(TRIGGERS).describe("'wal': the archive of the write-ahead log needs a new backup to begin from"),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable().describe('null: it runs'),
  state: z.enum(['running', 'succeeded', 'failed']),
  error: z.string().nullable(),
  bytes: z.int().nullable().describe('stored bytes'),
  checked: z
    .object({ tables: z.int(), rows: z.int() })
    .nullable()
    .describe('what was read from the started copy; null: only the sums were checked'),
  skipped: z.enum(['external', 'space']).nullable().describe('why the copy was not started'),
})

/** A run of a backup on this data directory, with its outcome. */
export type BackupRun = Readonly<z.infer<typeof backupRun>>
export type BackupTrigger = BackupRun['trigger']

const MAX_RUNS = 200

/**
 * The last runs, in a file of the data directory: it must be readable when the database is not, and a restored database would
 * contain an old state.
 */
export class BackupHistory {
  readonly #path: string
  #runs: readonly BackupRun[] = []

  constructor(path: string) {
    this.#path = path
  }

  /** Newest first. */
  get runs(): readonly BackupRun[] {
    return this.#runs
  }

  /** Reads the file. A run that had not ended was interrupted by the end of its server. An unreadable file counts as empty. */
  async load(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => '[]')
    const parsed = z.array(backupRun).catch([]).parse(jsonOf(text))
    this.#runs = parsed.map((run) =>
      run.state === 'running'
        ? { ...run, state: 'failed', endedAt: run.startedAt, error: 'The server ended during the backup.' }
        : run,
    )
  }

  /** Adds a run, or replaces the one of the same name. */
  async put(run: BackupRun): Promise<void> {
    this.#runs = [run, ...this.#runs.filter(({ name }) => name !== run.name)].slice(0, MAX_RUNS)
    const draft = `${this.#path}.tmp`
    await writeFile(draft, `${JSON.stringify(this.#runs, null, 1)}\n`, { mode: 0o600, flush: true })
    await rename(draft, this.#path)
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return []
  }
}
