import { z } from 'zod'
import { backupRun } from '../../backup/backup-history.ts'
import { PARTS } from '../../backup/manifest.ts'
import { errors } from '../../errors.ts'
import { ok } from '../call.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute, type Route } from '../route.ts'

const time = z.iso.datetime()

const listed = z.object({
  name: z.string(),
  startedAt: time,
  isStored: z.boolean().describe('false: it failed, or was stored at another target'),
  bytes: z.int().nullable(),
  isEncrypted: z.boolean().nullable(),
  hasDatabase: z.boolean().nullable(),
  run: backupRun.nullable().describe('null: another data directory made it'),
})

const answer = z.object({
  target: z.string().describe('without credentials'),
  targetError: z.string().nullable().describe('why stored backups cannot be listed'),
  folder: z.string().nullable().describe('its path on the machine of the server; null: it is not a folder'),
  isInData: z.boolean().describe('whether backups are stored in the data directory, which they should outlive'),
  isEncrypted: z.boolean(),
  includesDatabase: z.boolean().describe('false: the database is external, and its own tools back it up'),
  running: z
    .object({ name: z.string(), since: time, part: z.enum([...PARTS, 'check']) })
    .nullable()
    .describe('the backup in progress'),
  nextRun: time.nullable().describe('null: backups are not scheduled'),
  wal: z
    .object({
      archivedUntil: time.nullable(),
      waitingBytes: z.int(),
      error: z.string().nullable(),
      interruptedSince: time.nullable(),
    })
    .nullable()
    .describe('the archive of the write-ahead log; null: off'),
  backups: z.array(listed).meta({ id: 'ListedBackups' }),
})

const request = z.strictObject({
  target: z
    .string()
    .max(2000)
    .optional()
    .describe('URL of another target, in the forms of `--backup-url`; allowed with the administrator token only'),
})

/** Backups of the responding node (docs/backup.md). */
export const adminBackups: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/backups',
    need: 'own',
    summary: 'Lists the backups of the responding node, newest first, and the state of their target.',
    answer,
    handler: async ({ server }) => {
      const { backups } = server
      const { running, nextRun, wal } = backups.status()
      const found = await backups.list()
      return ok({
        target: found.target,
        targetError: found.error,
        folder: backups.folder,
        isInData: backups.isInData,
        isEncrypted: backups.isEncrypted,
        includesDatabase: backups.includesDatabase,
        running: running && { ...running, since: isoOf(running.since) },
        nextRun: nextRun === null ? null : isoOf(nextRun),
        wal,
        backups: found.backups.map(({ name, startedAt, stored, run }) => ({
          name,
          startedAt: startedAt.toISOString(),
          isStored: stored !== null,
          bytes: stored?.bytes ?? run?.bytes ?? null,
          isEncrypted: stored && stored.manifest.encryption !== null,
          hasDatabase: stored && stored.manifest.database !== null,
          run,
        })),
      })
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/backups',
    need: 'own',
    summary: 'Begins a backup.',
    body: request,
    answer: z.object({ name: z.string() }),
    handler: async ({ server, admin, body }) => {
      const { target } = parseBody(request, body ?? {})
      // It can be any folder of the machine, which only its operator may name.
      if (target !== undefined && admin.administrator !== null)
        throw errors.badArgument("'target' requires the administrator token.")
      const { name } = server.backups.begin('manual', target)
      return { status: 202, body: { name } }
    },
  }),
]

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
