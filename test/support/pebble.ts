import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, fetch } from 'undici'
import { vi } from 'vitest'
import { freePort } from './free-port.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from './stand-in-certificate.ts'

/** The package of its program, for `installGo`. */
export const PEBBLE = 'github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.3'

export interface PebbleOptions {
  /** Ports of this machine to which it connects to validate host names. */
  readonly httpPort: number
  readonly tlsPort: number
  /** Lifetime of its certificates in seconds; 90 days when omitted. */
  readonly lifetime?: number
  /** Whether it only accepts accounts with the external account `KEY_ID` and `HMAC_KEY`. */
  readonly requiresExternalAccount?: boolean
}

/** A certificate authority on this machine, with host names of its own: all lead to 127.0.0.1. */
export interface Pebble {
  /** URL of the ACME directory. */
  readonly directory: string
  /** Environment in which a server trusts the authority's own certificate. */
  readonly environment: Readonly<Record<string, string>>
  /** Root certificate of issued certificates, in PEM. */
  readonly root: string
  /** Path of a file with that certificate. */
  readonly rootFile: string
  output(): string
  /** Ends the program; its ports are free afterwards. */
  stop(): Promise<void>
}

export const KEY_ID = 'kid-1'
export const HMAC_KEY = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'

/**
 * Starts Pebble, Let's Encrypt's authority for tests.
 * @param path of the program
 * @param atEnd vitest's `afterAll` or `onTestFinished`, which ends it
 */
export async function startPebble(
  path: string,
  options: PebbleOptions,
  atEnd: (end: () => Promise<void>) => void,
): Promise<Pebble> {
  const { httpPort, tlsPort, lifetime = 90 * 86_400, requiresExternalAccount = false } = options
  const directory = await mkdtemp(join(tmpdir(), 'homeport-pebble-'))
  const [certificate, privateKey] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  await writeFile(certificate, CERTIFICATE)
  await writeFile(privateKey, CERTIFICATE_KEY)
  const [port, managementPort] = [await freePort(), await freePort()]
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate,
    privateKey,
    httpPort,
    tlsPort,
    externalAccountBindingRequired: requiresExternalAccount,
    externalAccountMACKeys: { [KEY_ID]: HMAC_KEY },
    retryAfter: { authz: 1, order: 1 },
    keyAlgorithm: 'ecdsa',
    profiles: { default: { description: 'certificates of the test', validityPeriod: lifetime } },
  }
  await writeFile(join(directory, 'config.json'), JSON.stringify({ pebble }))
  const names = await startNameServer()
  const child = spawn(path, ['-config', join(directory, 'config.json'), '-dnsserver', names.address], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const stop = async () => {
    names.stop()
    await end(child)
  }
  atEnd(async () => {
    await stop()
    await rm(directory, { recursive: true, force: true })
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`Pebble ended before it was ready:\n${output}`)
  })
  ended.catch(() => {})
  const dispatcher = new Agent({ connect: { ca: CERTIFICATE } })
  const get = async (url: string) => (await fetch(url, { dispatcher })).text()
  const started = vi.waitFor(() => get(`https://localhost:${port}/dir`), { timeout: 60_000, interval: 100 })
  await Promise.race([started, ended])
  const root = await get(`https://localhost:${managementPort}/roots/0`)
  await dispatcher.close()
  const rootFile = join(directory, 'root.pem')
  await writeFile(rootFile, root)
  return {
    directory: `https://localhost:${port}/dir`,
    environment: { NODE_EXTRA_CA_CERTS: certificate },
    root,
    rootFile,
    output: () => output,
    stop,
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const TYPE_A = 1

/** Starts a DNS server that knows the address 127.0.0.1 for every name. Pebble asks over TCP, with the length before each message. */
async function startNameServer(): Promise<{ readonly address: string; stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) {
        const end = 2 + received.readUInt16BE()
        const response = responseTo(received.subarray(2, end))
        received = received.subarray(end)
        socket.write(Buffer.concat([Buffer.from([response.length >> 8, response.length & 0xff]), response]))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function responseTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5
  const isAddress = query.readUInt16BE(end - 4) === TYPE_A
  // Id, flags of a response, one question, and at most one record: a pointer to the name, type, class, seconds, address.
  const counts = [0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])
  const parts = [query.subarray(0, 2), Buffer.from(counts), query.subarray(12, end), ...(isAddress ? [record] : [])]
  return Buffer.concat(parts)
}
