import { dirname } from 'node:path'
import type { Counts } from '../../import/batch.ts'
import type { ListedFile } from '../../import/forms/listed-file.ts'
import type { SourceFile } from '../../import/sources/files.ts'
import { NotWithin, openWithin } from '../../import/sources/open-within.ts'
import { at, type Notice, notice } from '../../notices/notice.ts'
import { noticeOf } from '../../notices/noticed-error.ts'
import { forEachInParallel } from '../../scheduling/in-parallel.ts'
import { listedFiles } from '../export/listed-files.ts'
import { FailedRequest, type Management } from '../management.ts'

const AT_A_TIME = 4
/** Keys per request to the server. */
const PAGE = 500
/** Maximum milliseconds to upload a file; a stalled upload ends much earlier. */
const TIMEOUT_MS = 24 * 3600 * 1000
/** Maximum faults that are listed. */
const MAX_LISTED = 1000

/**
 * Uploads the bytes of files to an app. Existing files are skipped, so an interrupted upload resumes.
 * @param path the path of the bytes in the management API
 * @throws FailedRequest when the server cannot be reached
 */
export async function copyFiles(
  management: Management,
  path: string,
  list: SourceFile,
  dryRun: boolean,
): Promise<{ readonly counts: Counts; readonly faults: readonly Notice[] }> {
  const counts = { read: 0, created: 0, updated: 0, existing: 0, rejected: 0 }
  const faults: Notice[] = []
  const refuse = (reason: Notice) => {
    counts.rejected++
    if (faults.length < MAX_LISTED) faults.push(reason)
  }
  const copy = async (file: ListedFile) => {
    const bytes = await openWithin(dirname(list.path), file.path).catch((error: Error) => error)
    if (bytes instanceof Error) {
      const missing = notice('fileBytesMissing', { key: file.key, path: file.path })
      return refuse(bytes instanceof NotWithin ? notice('because', { what: missing, reason: bytes.notice }) : missing)
    }
    try {
      if (!dryRun) await management.sendBytes(`${path}/bytes?${queryOf(file)}`, bytes.createReadStream(), TIMEOUT_MS)
      counts.created++
    } catch (error) {
      if (!(error instanceof FailedRequest) || error.status !== 400) throw error
      refuse(at(file.key, noticeOf(error)))
    } finally {
      await bytes.close()
    }
  }
  const page: ListedFile[] = []
  const copyPage = async () => {
    const files = page.splice(0)
    const keys = files.map(({ key }) => key)
    const { missing } = (await management.request('POST', `${path}/missing`, { keys })) as { missing: string[] }
    const wanted = new Set(missing)
    counts.existing += files.length - wanted.size
    await forEachInParallel(
      files.filter(({ key }) => wanted.has(key)),
      AT_A_TIME,
      copy,
    )
  }
  for await (const file of listedFiles(list.path)) {
    counts.read++
    if ('badLine' in file) refuse(notice('listLineWithoutFile', { file: list.name, line: file.badLine }))
    else if (page.push(file) === PAGE) await copyPage()
  }
  if (page.length > 0) await copyPage()
  return { counts, faults }
}

function queryOf({ key, size, md5, mimeType, name }: ListedFile): string {
  return String(new URLSearchParams({ key, size: String(size), ...(md5 && { md5 }), mime_type: mimeType, name }))
}
