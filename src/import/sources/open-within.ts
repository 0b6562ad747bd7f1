import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'

/** A path leads to no regular file of its folder. */
export class NotWithin extends NoticedError {
  override readonly name = 'NotWithin'
}

/** Does not follow a link, and does not wait for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a regular file below a folder of unknown origin: a link in it could lead to any file of this machine.
 * @param path below the folder, with slashes
 * @throws NotWithin where it is no regular file, or a link is on the way to it; Error of the system
 */
export async function openWithin(folder: string, path: string): Promise<FileHandle> {
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\')))
    throw new NotWithin(notice('pathOutsideFolder'))
  let place = folder
  for (const part of parts) {
    place = join(place, part)
    if ((await lstat(place)).isSymbolicLink()) throw new NotWithin(notice('linksNotFollowed'))
  }
  const file = await open(place, FLAGS)
  try {
    if (!(await file.stat()).isFile()) throw new NotWithin(notice('notRegularFile'))
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
