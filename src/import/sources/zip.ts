import { once } from 'node:events'
import { promisify } from 'node:util'
import { type Entry, open, type ZipFile } from 'yauzl'
import { SourceFault } from './source-fault.ts'
import type { ArchiveEntry } from './tar.ts'

const openZip = promisify<string, object, ZipFile>(open as never)

/** Bytes from which on it is looked at how much is unpacked, and how many times the packed size it may be. */
const HARMLESS = 64 * 1024 * 1024
const MOST_TIMES = 300

/** Whether a file that begins so is a zip archive. */
export function isZip(beginning: Buffer): boolean {
  return beginning.length >= 4 && beginning.readUInt32LE(0) === 0x04034b50
}

/**
 * The files of a zip archive on the disk. Its list stands at its end: of one that is cut off nothing can be read.
 * @throws SourceFault
 */
export async function* zipEntries(path: string): AsyncGenerator<ArchiveEntry> {
  const archive = await openZip(path, { lazyEntries: true, autoClose: false }).catch((error: Error) => {
    throw new SourceFault(`the archive cannot be read, it is cut off or damaged: ${error.message}`)
  })
  try {
    // Of all together: entries may lie over each other.
    let out = 0
    for (let entry = await nextEntry(archive); entry; entry = await nextEntry(archive)) {
      out += entry.uncompressedSize
      checkExpansion(out, archive.fileSize)
      if (!entry.fileName.endsWith('/')) yield { name: entry.fileName, content: contentOf(archive, entry) }
    }
  } finally {
    archive.close()
  }
}

/** @throws SourceFault where an entry is damaged, or its name leads outside */
async function nextEntry(archive: ZipFile): Promise<Entry | null> {
  const stop = new AbortController()
  const { signal } = stop
  const next = Promise.race([
    once(archive, 'entry', { signal }).then(([entry]) => entry as Entry),
    once(archive, 'end', { signal }).then(() => null),
  ])
  archive.readEntry()
  try {
    return await next
  } catch (error) {
    throw new SourceFault(`the archive is damaged: ${(error as Error).message}`)
  } finally {
    stop.abort()
  }
}

async function* contentOf(archive: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    // Whether as much comes out as the list says is checked by the reader.
    yield* await promisify<Entry, NodeJS.ReadableStream & AsyncIterable<Buffer>>(
      archive.openReadStream.bind(archive) as never,
    )(entry)
  } catch (error) {
    throw new SourceFault(`it is cut off or damaged: ${(error as Error).message}`)
  }
}

/** @throws SourceFault */
function checkExpansion(out: number, packed: number): void {
  if (out > HARMLESS && out > packed * MOST_TIMES)
    throw new SourceFault(`it expands to more than ${MOST_TIMES} times its size, which no export does`)
}
