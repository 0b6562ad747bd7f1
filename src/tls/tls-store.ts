import { chmodSync, mkdirSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Keeps accounts, certificates with their private keys, and the state of orders. Keys have letters, digits, `.`, `-` and `_`. */
export interface TlsStore {
  /** Whether other nodes use the same store. */
  readonly isShared: boolean
  /** Returns a text; null when there is none. */
  get(key: string): Promise<string | null>
  /** Stores a text, completely or not at all. */
  put(key: string, text: string): Promise<void>
  /**
   * Acquires the right to place orders, which at most one node has.
   * @param forMs milliseconds after which it ends when this node does not release it
   * @returns a function that releases it; null when another node has it
   */
  acquireOrdering(forMs: number): Promise<(() => Promise<void>) | null>
}

/**
 * The store of a server without other nodes: files in `<data>/tls`, which only the user of the server can read.
 * @param path absolute path of the folder, created if missing
 */
export function folderStore(path: string): TlsStore {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  // An existing folder may have been restored from a backup with another mode.
  chmodSync(path, 0o700)
  return {
    isShared: false,
    async get(key) {
      try {
        return await readFile(join(path, key), 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    put: (key, text) => replaceFile(join(path, key), text),
    acquireOrdering: async () => async () => {},
  }
}

/** Writes a private file so that after a crash either the previous or the new content is there. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}
