import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Owner } from './postgres-user.ts'

/** The address of a server while Homeport runs. */
export interface PostgresSocket {
  readonly host: string
  readonly port: number
  /** The settings that make PostgreSQL listen there. */
  readonly settings: Readonly<Record<string, string>>
  /** Creates the socket's directory if it is missing: before a start, and after another program removed it. */
  prepare(): Promise<void>
  remove(): void
  /** Whether the socket still exists. Without it, a server keeps running but gets no new connections. */
  isThere(): boolean
}

const prefix = 'homeport-db-'

/**
 * The parent directory of sockets: a short path, because the path of a socket has at most 103 bytes on macOS and 107 on Linux.
 */
export const socketParent = () => (Buffer.byteLength(tmpdir()) <= 70 ? tmpdir() : '/tmp')

/** Returns whether a directory has a name that was made here. */
export const isSocketDirectory = (path: string) => basename(path).startsWith(prefix)

/** Chooses a socket in a new directory that only `owner` can enter; on Windows, a free local port. */
export async function choosePostgresSocket(owner: Owner | null): Promise<PostgresSocket> {
  if (process.platform === 'win32') {
    const port = await freePort()
    const settings = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' }
    return { host: '127.0.0.1', port, settings, prepare: async () => {}, remove: () => {}, isThere: () => true }
  }
  const host = join(socketParent(), prefix + randomBytes(6).toString('hex'))
  return {
    host,
    port: 5432,
    settings: { listen_addresses: '', port: '5432', unix_socket_directories: host, unix_socket_permissions: '0700' },
    async prepare() {
      const made = await mkdir(host, { recursive: true, mode: 0o700 })
      if (made && owner) await chown(host, owner.uid, owner.gid)
    },
    remove: () => rmSync(host, { recursive: true, force: true }),
    isThere: () => existsSync(join(host, '.s.PGSQL.5432')),
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('The operating system returned no free port.')
  return address.port
}
