import { execFile } from 'node:child_process'
import { readFile, realpath, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './postgres-binaries.ts'
import type { Log } from './postgres-log.ts'
import { endPostgres } from './postgres-process.ts'
import { isSocketDirectory } from './postgres-socket.ts'
import { readPostmasterFile } from './postmaster-file.ts'

/**
 * Clears `directory` of the remains of a killed Homeport: stops a PostgreSQL that is still running, and removes its socket
 * directory unless that is `ownSocket`. The pid in a stale `postmaster.pid` may by now belong to an unrelated process, or to the
 * server of the directory that this one was copied from. That process is left alone and the file is removed, because PostgreSQL
 * would take the process for a server and refuse to start.
 */
export async function clearLeftOver(
  directory: string,
  ownSocket: string,
  binaries: PostgresBinaries,
  log: Log,
): Promise<void> {
  const file = await readPostmasterFile(directory)
  if (file === null) return
  const { pid, socketDirectory } = file

  const relation = await relationTo(directory, pid)
  if (relation === 'serves it') {
    log.warn({ pid }, 'orphaned PostgreSQL found on the data directory, stopping it')
    await endPostgres(pid, binaries, async () => (await relationTo(directory, pid)) === 'serves it')
  }
  if (relation === 'unrelated') await rm(join(directory, 'postmaster.pid'), { force: true })
  if (relation === 'unknown' || socketDirectory === ownSocket || !isSocketDirectory(socketDirectory)) return
  // A file that was copied with the directory names the socket of the original, whose server may be running.
  if (!(await isSame(file.directory, directory)) || (await isListening(socketDirectory))) return
  await rm(socketDirectory, { recursive: true, force: true })
}

/** Returns whether a server accepts connections at the socket in a directory. */
function isListening(socketDirectory: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(socketDirectory, '.s.PGSQL.5432'))
    const end = (listens: boolean) => {
      socket.destroy()
      resolve(listens)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

type Relation = 'serves it' | 'unrelated' | 'gone' | 'unknown'

/** Returns how the process `pid` relates to the data directory: a server of it has `-D <directory>` among its arguments. */
async function relationTo(directory: string, pid: number): Promise<Relation> {
  if (!isAlive(pid)) return 'gone'
  const line = await commandLine(pid)
  if (line === null) return 'unknown'
  if (line.length === 0) return 'gone'
  const given = line[line.indexOf('-D') + 1] ?? ''
  return line.includes('-D') && (await isSame(given, directory)) ? 'serves it' : 'unrelated'
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns the arguments of a process; none for a zombie; null when they cannot be determined. */
async function commandLine(pid: number): Promise<readonly string[] | null> {
  if (process.platform === 'win32') return null
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
    return text === null ? null : text.split('\0').slice(0, -1)
  }
  const answer = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => null)
  // ps does not show where an argument ends; the arguments of a server are each followed by a -c.
  return answer === null ? null : answer.stdout.trim().split(/ (?=-[Dc] )|(?<= -D) /)
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => realpath(path).catch(() => path)))
  return first === second
}
