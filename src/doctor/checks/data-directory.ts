import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPostgresBinaries } from '../../database/embedded/postgres-binaries.ts'
import { DiskReserve } from '../../disk-reserve.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, warning } from '../finding.ts'
import { gigabytes } from '../shown-size.ts'

const LITTLE_SPACE = 2 * 1024 ** 3

/** Checks that the data directory can be written, has space, and belongs to this version. */
export async function checkDataDirectory({ config }: Examination): Promise<Finding[]> {
  const { data, diskReserve, databaseUrl } = config
  let existing = data
  while (!existsSync(existing)) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK)
  } catch {
    return [failure('doctorDirectoryReadOnly', { path: data })]
  }
  const { bavail, blocks, bsize } = statfsSync(existing)
  const free = bavail * bsize
  const reserve = new DiskReserve({ size: diskReserve }).of(blocks * bsize)
  const shown = { free: gigabytes(free), path: data }
  const space =
    free < reserve
      ? warning('doctorDiskReserve', { ...shown, reserve: gigabytes(reserve) })
      : free < LITTLE_SPACE
        ? warning('doctorDiskLittle', shown)
        : fine('doctorDisk', shown)
  return databaseUrl === null ? [space, ...(await checkVersion(join(data, 'postgres')))] : [space]
}

/** Compares the version of an embedded database with that of the binaries. @param directory may not exist */
async function checkVersion(directory: string): Promise<Finding[]> {
  const file = join(directory, 'PG_VERSION')
  if (!existsSync(file)) return []
  // Missing binaries are reported by the check of the database.
  const binaries = await findPostgresBinaries(`${directory}-libraries`).catch(() => null)
  const found = readFileSync(file, 'utf8').trim()
  if (binaries === null || Number(found) === binaries.major) return []
  const values = { path: directory, found, ours: String(binaries.major) }
  return [
    Number(found) > binaries.major ? failure('doctorDirectoryNewer', values) : failure('doctorDirectoryOlder', values),
  ]
}
