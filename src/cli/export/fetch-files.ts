import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathOfKey } from '../../files/file-key.ts'
import type { ListedFile } from '../../import/forms/listed-file.ts'
import { forEachInParallel } from '../../scheduling/in-parallel.ts'
import { FailedRequest, type Management } from '../management.ts'
import type { ExportFolder } from './export-folder.ts'
import { listedFiles } from './listed-files.ts'

const AT_A_TIME = 4
/** Maximum faults that are listed. */
const MAX_LISTED = 100

/** The result of fetching the bytes of an app's files. */
export interface Fetched {
  readonly files: number
  readonly failed: number
  readonly faults: readonly string[]
}

/**
 * Fetches the bytes of all files in the lists of an export, each under a temporary name first. Existing files are skipped. A file
 * that was deleted after the snapshot of the export is reported as a fault.
 * @throws FailedRequest when the connection is lost
 */
export async function fetchFiles(management: Management, appId: string, folder: ExportFolder): Promise<Fetched> {
  let [files, failed] = [0, 0]
  const faults: string[] = []
  for (let part = 0; (await folder.sizeOf(`file-keys.${part}.jsonl`)) !== null; part++) {
    const list = join(folder.path, `file-keys.${part}.jsonl`)
    await forEachInParallel(listedFiles(list), AT_A_TIME, async (file) => {
      const fault =
        'badLine' in file
          ? `${list}:${file.badLine}: the line must describe a file`
          : await fetchFile(management, appId, folder, file)
      files++
      if (fault === null) return
      failed++
      if (faults.length < MAX_LISTED) faults.push(fault)
    })
  }
  return { files, failed, faults }
}

/** @returns why it could not be fetched; null when it exists now */
async function fetchFile(
  { download }: Management,
  appId: string,
  folder: ExportFolder,
  { key, path, size, md5 }: ListedFile,
): Promise<string | null> {
  if ((await folder.sizeOf(path)) === size) return null
  await mkdir(dirname(join(folder.path, path)), { recursive: true, mode: 0o700 })
  try {
    await download(`/files/${appId}/${pathOfKey(key)}`, (bytes) => folder.write(path, checked(bytes, size, md5)))
    return null
  } catch (error) {
    if (error instanceof WrongBytes) return `${key}: ${error.message}`
    if (error instanceof FailedRequest && error.status === 404) return `${key}: no longer exists`
    throw error
  }
}

class WrongBytes extends Error {}

async function* checked(bytes: AsyncIterable<Buffer>, size: number, md5: string): AsyncGenerator<Buffer> {
  const hash = createHash('md5')
  let length = 0
  for await (const piece of bytes) {
    hash.update(piece)
    length += piece.length
    yield piece
  }
  if (length !== size || (md5 !== '' && hash.digest('hex') !== md5)) throw new WrongBytes('changed since the export')
}
