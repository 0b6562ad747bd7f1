import type { DiskReserve } from '../../disk-reserve.ts'
import { parseFilesUrl } from '../../files-url.ts'
import type { BackupTarget } from './backup-target.ts'
import { FolderTarget } from './folder-target.ts'

/**
 * Opens the target of a URL, in the forms of `--files-url`.
 * @param reserve disk space that writes to a folder leave free
 * @throws Error with one line for the administrator
 */
export async function openTarget(url: string, reserve?: DiskReserve): Promise<BackupTarget> {
  const location = parseFilesUrl(url)
  if (location.kind === 'folder') return new FolderTarget(location.path, reserve)
  // The S3 client is large, and many servers do not use it.
  const { S3Target } = await import('./s3-target.ts')
  return S3Target.open(location)
}
