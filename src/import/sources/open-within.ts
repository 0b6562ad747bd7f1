import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'

/** The path is not a regular file in its folder. */
export class NotWithin extends NoticedError {
  override readonly name = 'NotWithin'
}

/** The open call neither follows a link nor blocks on a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a regular file below a folder of unknown origin. A link in the folder could lead to any file of this machine.
 * @param path relative to the folder, with slashes
 * @throws NotWithin when it is not a regular file, or the path contains a link; Error of the system
 */
export async function openWithin(folder: string, path: string): Promise<FileHandle> {
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\')))
    throw new NotWithin(notice('pathOutsideFolder'))
  let parent = folder
  for (const part of parts) {
    parent = join(parent, part)
    if ((await lstat(parent)).isSymbolicLink()) throw new NotWithin(notice('linksNotFollowed'))
  }
  const file = await open(parent, FLAGS)
  try {
    if (!(await file.stat()).isFile()) throw new NotWithin(notice('notRegularFile'))
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
