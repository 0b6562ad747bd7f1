import { errors } from '../errors.ts'
import type { Files } from './files.ts'
import { totalSize } from './stored-files.ts'

interface Known {
  readonly total: number
  readonly until: number
}

/** Milliseconds for which an app's total size is cached, because computing it reads one row per file. */
const REMEMBERED = 60_000

const known = new WeakMap<Files, Known>()

/**
 * Checks that an app may store `size` more bytes. Bytes that other nodes stored in the last minute may be missed.
 * @throws ApiError 154
 */
export async function checkRoom(files: Files, size: number): Promise<void> {
  const { maxTotal } = files.settings()
  if (maxTotal === 0) return
  let { total, until } = known.get(files) ?? { total: 0, until: 0 }
  if (performance.now() > until) {
    total = await totalSize(files)
    until = performance.now() + REMEMBERED
  }
  if (total + size > maxTotal)
    throw errors.thresholdExceeded(
      `The files of this app have reached their maximum of ${maxTotal} bytes (files.maxTotal).`,
    )
  known.set(files, { total: total + size, until })
}
