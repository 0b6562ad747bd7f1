import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { BackupKeys } from './encryption.ts'
import { UnusableBackup } from './unusable-backup.ts'

/** The file that makes a backup complete. It is written last, under its final name in one step. */
export const MANIFEST = 'manifest.json'

/** Maximum bytes of a manifest that are read. */
export const MAX_MANIFEST_BYTES = 1024 * 1024

/** The files of a backup besides the manifest, by their content. */
export const PARTS = ['files', 'files-added', 'database', 'server'] as const
export type PartName = (typeof PARTS)[number]

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const lsn = z.string().regex(/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/)
const segment = z.string().regex(/^[0-9A-F]{24}$/)

const part = z.object({
  name: z.enum(PARTS),
  compressed: z.boolean(),
  /** Bytes of the stored file and their SHA-256. */
  bytes: z.int().min(0),
  sha256,
  /** Bytes of the tar archive in it. */
  contentBytes: z.int().min(0),
})

const schema = z.object({
  format: z.literal(1),
  name: z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{16}$/),
  /** The data directory that was backed up. */
  installation: z.string().regex(/^[0-9a-f]{16}$/),
  startedAt: z.iso.datetime(),
  /** Each write acknowledged before this time is in the backup. */
  endedAt: z.iso.datetime(),
  encryption: z.object({ salt: z.string().regex(/^[0-9a-f]{32}$/) }).nullable(),
  /** null: the database is external and is not in the backup. */
  database: z
    .object({
      major: z.int(),
      segmentBytes: z.int(),
      startLsn: lsn,
      stopLsn: lsn,
      firstSegment: segment,
      lastSegment: segment,
    })
    .nullable(),
  /** Whether the bytes of files are in the backup; they are not when they are stored outside the data directory. */
  files: z.boolean(),
  parts: z.array(part).max(PARTS.length),
})

/** The description of a complete backup. */
export type Manifest = Readonly<z.infer<typeof schema>>
export type Part = Readonly<z.infer<typeof part>>

/** Returns the text of a manifest. With keys, it ends with a code that only holders of the passphrase can compute. */
export function writeManifest(manifest: Manifest, keys: BackupKeys | null): string {
  const mac = keys ? { mac: macOf(manifest, keys) } : {}
  return `${JSON.stringify({ ...manifest, ...mac }, null, 2)}\n`
}

/**
 * Parses a manifest without checking its authenticity.
 * @throws UnusableBackup
 */
export function parseManifest(text: string): { readonly manifest: Manifest; readonly mac: string | null } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnusableBackup('The manifest of the backup is not JSON.')
  }
  const { format, mac } = z.object({ format: z.unknown(), mac: sha256.optional() }).catch({ format: 1 }).parse(value)
  if (typeof format === 'number' && format > 1)
    throw new UnusableBackup(
      `The backup has format ${format}. This version of Homeport reads format 1: use a later one.`,
    )
  const parsed = schema.safeParse(value)
  if (!parsed.success)
    throw new UnusableBackup(`The manifest of the backup is damaged at '${parsed.error.issues[0]?.path.join('.')}'.`)
  return { manifest: parsed.data, mac: mac ?? null }
}

/**
 * Checks that a manifest was written with the same passphrase and not changed since.
 * @throws UnusableBackup
 */
export function checkManifest(manifest: Manifest, mac: string | null, keys: BackupKeys): void {
  const right = Buffer.from(macOf(manifest, keys), 'hex')
  const given = Buffer.from(mac ?? '', 'hex')
  if (given.length !== right.length || !timingSafeEqual(given, right))
    throw new UnusableBackup('The passphrase is wrong, or the manifest of the backup was changed.')
}

/** The members in a fixed order: parsing returns them in the order of the schema. */
function macOf(manifest: Manifest, keys: BackupKeys): string {
  return createHmac('sha256', keys.manifest)
    .update(JSON.stringify(schema.parse(manifest)))
    .digest('hex')
}

/** Returns the name of a backup: its start, in UTC, and the installation. Names sort by time. */
export function backupName(startedAt: Date, installation: string): string {
  return `${startedAt.toISOString().replace(/[-:]|\.\d+/g, '')}-${installation}`
}

/** Returns the start and the installation in the name of a backup; null for other names. */
export function parseBackupName(name: string): { readonly startedAt: Date; readonly installation: string } | null {
  const [, year, month, day, hour, minute, second, installation] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-([0-9a-f]{16})$/.exec(name) ?? []
  if (installation === undefined) return null
  const startedAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(startedAt.getTime()) ? null : { startedAt, installation }
}

/** Returns the file name of a part. */
export function partFile({ name, compressed }: Pick<Part, 'name' | 'compressed'>, encrypted: boolean): string {
  return `${name}.tar${compressed ? '.gz' : ''}${encrypted ? '.enc' : ''}`
}
