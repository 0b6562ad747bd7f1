import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChildServer } from './child-server.ts'
import { findProgram } from './find-program.ts'
import { freePort } from './free-port.ts'
import type { PostgresServer } from './replicated-postgres.ts'

/** The installed HAProxy; null: not installed, and tests that need it are skipped. */
export const haproxy = findProgram('HOMEPORT_TEST_HAPROXY', ['haproxy'], ['/usr/sbin/haproxy'])

if (haproxy === null)
  console.warn('Tests with HAProxy are skipped: it was not found (Debian: apt-get install haproxy).')

/**
 * Starts an HAProxy that routes to the primary, which it detects by polling every half a second. It stops at `atEnd`.
 * @returns the URL of the database through it
 */
export async function startHaproxy(
  servers: readonly PostgresServer[],
  atEnd: (end: () => Promise<void>) => void,
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  const port = await freePort()
  const url = new URL(servers[0]!.url)
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(
    file,
    `defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:${port}
  option tcp-check
  tcp-check connect
  tcp-check send-binary ${startup({ user: url.username, database: url.pathname.slice(1) })}
  tcp-check expect binary ${READY}
  tcp-check send-binary ${question('SELECT pg_is_in_recovery()')}
  tcp-check expect binary ${row('f')}
  timeout check 500ms
  default-server inter 500ms fall 1 rise 1 on-marked-down shutdown-sessions
${servers.map((server, index) => `  server db${index} 127.0.0.1:${server.port} check`).join('\n')}
`,
  )
  const server = await startChildServer({ file: haproxy!, args: ['-db', '-f', file], identity: {} }, port)
  atEnd(async () => {
    await server.end('SIGKILL')
    await rm(directory, { recursive: true, force: true })
  })
  url.host = `127.0.0.1:${port}`
  return url.href
}

// Messages of PostgreSQL's protocol, version 3, as hexadecimal digits.

const READY = '5a0000000549'

function startup(parameters: Readonly<Record<string, string>>): string {
  const body = Buffer.from(`${Object.entries(parameters).flat().join('\0')}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, body]).toString('hex')
}

function question(statement: string): string {
  const length = Buffer.alloc(4)
  length.writeInt32BE(statement.length + 5)
  return Buffer.concat([Buffer.from('Q'), length, Buffer.from(`${statement}\0`)]).toString('hex')
}

/** Returns a row with one text of one character. */
function row(letter: string): string {
  return `440000000b000100000001${Buffer.from(letter).toString('hex')}`
}
