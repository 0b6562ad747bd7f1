import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileEntry, type TarEntry } from './tar.ts'

/** Prefix of files that are being written, and suffix of an export in progress. */
const TEMPORARY = /^\.tmp-|\.tmp$/

/**
 * Yields all files below a folder, which may change meanwhile; nothing if it does not exist. Files in progress are left out.
 * @param since milliseconds: only files that got their name at or after this time; default all
 */
export async function* filesBelow(
  folder: string,
  prefix: string,
  since = 0,
): AsyncGenerator<TarEntry, void, undefined> {
  for await (const entry of entriesOf(folder)) {
    if (TEMPORARY.test(entry.name)) continue
    const [path, name] = [join(folder, entry.name), `${prefix}/${entry.name}`]
    if (entry.isDirectory()) yield* filesBelow(path, name, since)
    else if (entry.isFile() && (since === 0 || (await changedAt(path)) >= since)) yield* fileEntry(path, name)
  }
}

async function* entriesOf(folder: string) {
  try {
    yield* await opendir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Returns the time of a file's last rename or change in milliseconds; 0 if it was removed. */
async function changedAt(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return found ? Math.max(found.ctimeMs, found.mtimeMs) : 0
}
