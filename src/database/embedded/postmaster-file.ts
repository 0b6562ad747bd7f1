import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The content of the file `postmaster.pid` that PostgreSQL writes to its data directory. */
export interface PostmasterFile {
  readonly pid: number
  /** The data directory of that server; another one if the file was copied with the directory. */
  readonly directory: string
  /** The directory of its socket; empty when it has none. */
  readonly socketDirectory: string
  readonly ready: boolean
}

/** Reads `postmaster.pid`; null when it does not exist. The file remains when the server is killed. */
export async function readPostmasterFile(directory: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Error(`Cannot read ${directory}/postmaster.pid (${error.code}).`)
  })
  if (text === null) return null
  // pid, directory, start time, port, socket directory, address, shared memory, state
  const lines = text.split('\n')
  return {
    pid: Number(lines[0]),
    directory: lines[1] ?? '',
    socketDirectory: lines[4] ?? '',
    ready: lines[7]?.trim() === 'ready',
  }
}
