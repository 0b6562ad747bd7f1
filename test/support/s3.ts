import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileGo } from './go.ts'

/** A running S3 (`s3-server/main.go`), and a proxy that connects to it. */
export interface S3 {
  /** Its URL through the proxy. */
  readonly endpoint: string
  readonly bucket: string
  readonly key: string
  readonly secret: string
  /** Returns the option `filesUrl` for it. */
  filesUrl(prefix: string, secret?: string): string
  /** Returns the number of bytes it has received. */
  received(): number
  /** Closes all connections, and rejects new ones. */
  unplug(): void
  /** Passes on requests from now on, but breaks connections instead of responding. */
  loseAnswers(): void
  /** Restores normal operation. */
  plug(): void
}

let bufferFolder: string | undefined

/** Returns a data directory for stores that tests open themselves; removed when the process exits. */
export function dataOfTests(): string {
  if (bufferFolder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'homeport-spool-'))
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
    bufferFolder = made
  }
  return bufferFolder
}

const BUCKET = 'homeport-test'
const KEY = 'test-access-key'
const SECRET = 'test/secret+key'

/**
 * Starts an S3 that checks signatures and keeps its objects in memory.
 * @param atEnd registers cleanup functions, to be called in reverse order. Vitest's `afterAll` does nothing when a hook calls it
 */
export async function startS3(atEnd: (end: () => Promise<void>) => void): Promise<S3> {
  const program = await compileGo(new URL('./s3-server/', import.meta.url), atEnd)
  const child = spawn(program, [BUCKET, KEY, SECRET], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  atEnd(async () => {
    child.stdin.end()
    await ended
  })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  const cable = await layCable(Number(/port (\d+)/.exec(said.toString())![1]), atEnd)
  const endpoint = `http://127.0.0.1:${cable.port}`
  return {
    endpoint,
    bucket: BUCKET,
    key: KEY,
    secret: SECRET,
    filesUrl: (prefix, secret = SECRET) =>
      `s3://${KEY}:${encodeURIComponent(secret)}@${BUCKET}/${prefix}?endpoint=${endpoint}&pathStyle=true`,
    received: cable.received,
    unplug: cable.unplug,
    loseAnswers: cable.loseAnswers,
    plug: cable.plug,
  }
}

async function layCable(port: number, atEnd: (end: () => Promise<void>) => void) {
  const sockets = new Set<Socket>()
  let plugged = true
  let answering = true
  let received = 0
  const server = createServer((near) => {
    if (!plugged) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    near.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    near.pipe(far)
    far.on('data', (chunk: Buffer) => {
      if (!answering) return void far.destroy()
      if (near.write(chunk)) return
      far.pause()
      near.once('drain', () => far.resume())
    })
    far.on('end', () => near.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const unplug = () => {
    plugged = false
    for (const socket of sockets) socket.destroy()
  }
  atEnd(async () => {
    unplug()
    server.close()
    await once(server, 'close')
  })
  return {
    port: (server.address() as { port: number }).port,
    received: () => received,
    unplug,
    loseAnswers: () => {
      answering = false
    },
    plug: () => {
      plugged = true
      answering = true
    },
  }
}
