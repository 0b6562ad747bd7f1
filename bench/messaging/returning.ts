import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import type { GenericCommand, SessionCommand } from '../../src/realtime-protocol/schema.ts'
import { CAPABILITIES, type Client, inChunks, logIn, type Server, SUBPROTOCOL } from './client.ts'
import { maskedFrame } from './client-socket.ts'
import type { Outcome, Run } from './crowd.ts'
import { outcomeOf } from './outcome.ts'

/** Clients that were logged in, lost their connections, and rejoin their chat room. */
export interface ReturningSpec extends Server {
  readonly kind: 'returning'
  readonly clients: number
  readonly roomId: string
}

/** The last message a client has sent to the server. */
const SHAKING_HANDS = 0
const OPENING = 1
const JOINING = 2
const BACK = 3

/** The first bytes of the responses: `cmd`, and `op` (protocol/realtime, GenericCommand; protocol/realtime, OpType). */
const OPENED = Buffer.from([0x08, 0x00, 0x10, 0x05])
const ADDED = Buffer.from([0x08, 0x01, 0x10, 0x0a])

/** The time for pending messages to the last clients, in milliseconds. */
const REST = 500

/** Returns the id of a client; all ids have the same length. */
export function idOfReturning(n: number): string {
  return `returning-${String(n).padStart(6, '0')}`
}

/** A reconnecting client. Its messages are encoded in advance, so that the figures reflect the server. */
interface Returning {
  readonly open: Buffer
  readonly join: Buffer
}

/**
 * Returns a function whose runs reconnect clients for some seconds with a given concurrency, each over a new connection that
 * stays open until a run with `inFlight` 0 closes all. On another server than their own the same clients reconnect repeatedly.
 * @throws Error when no more clients can reconnect
 */
export async function gatherReturning(spec: ReturningSpec): Promise<(run: Run) => Promise<Outcome>> {
  const clients = await inChunks(spec.clients, (n) => prepare(spec, idOfReturning(n)))
  let sockets: Socket[] = []
  const comeBackTo = (target: URL) => {
    const handshake = handshakeFor(target)
    return (client: Returning, back: () => void) => {
      const socket = connectSocket(Number(target.port), target.hostname)
      sockets.push(socket)
      follow(socket, handshake, client, back)
    }
  }
  return async (run) => {
    if (run.inFlight > 0) return comeBackAll(clients, run, comeBackTo(new URL(run.url ?? spec.url)))
    for (const socket of sockets) {
      socket.removeAllListeners('close')
      // Reset, so that the port is released at once.
      socket.resetAndDestroy()
    }
    sockets = []
    return { acknowledged: 0, delivered: 0, elapsed: 0, p50: 0, p99: 0, bytes: 0 }
  }
}

function handshakeFor(target: URL): Buffer {
  return Buffer.from(
    `GET / HTTP/1.1\r\nHost: ${target.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
      `Sec-WebSocket-Protocol: ${SUBPROTOCOL}\r\nUser-Agent: bench\r\nOrigin: http://localhost\r\n\r\n`,
  )
}

async function comeBackAll(
  clients: readonly Returning[],
  { seconds, inFlight, url }: Run,
  comeBack: (client: Returning, back: () => void) => void,
): Promise<Outcome> {
  const latencies: number[] = []
  const began = performance.now()
  const end = began + seconds * 1000
  let next = 0
  const outcome = await new Promise<Outcome>((resolve) => {
    const begin = () => {
      const client = clients[url === undefined ? next++ : next++ % clients.length]
      if (!client) throw new Error(`All ${clients.length} clients are back before the time is over; --returning more.`)
      const started = performance.now()
      comeBack(client, () => {
        latencies.push(performance.now() - started)
        if (performance.now() < end) begin()
        else if (latencies.length === next) {
          resolve(outcomeOf({ acknowledged: next, latencies, began, bytes: client.open.length }))
        }
      })
    }
    for (let started = 0; started < inFlight; started++) begin()
  })
  await sleep(REST)
  return outcome
}

/** Runs a client's handshake, login and join. */
function follow(socket: Socket, handshake: Buffer, { open, join }: Returning, back: () => void): void {
  let state = SHAKING_HANDS
  let rest: Buffer | null = null
  socket.setNoDelay(true)
  socket.write(handshake)
  socket.on('error', (error) => {
    throw error
  })
  socket.on('close', () => {
    throw new Error('The server has ended a connection.')
  })
  const take = (payload: Buffer) => {
    if (state === OPENING && payload.subarray(0, 4).equals(OPENED)) {
      state = JOINING
      socket.write(join)
    } else if (state === JOINING && payload.subarray(0, 4).equals(ADDED)) {
      state = BACK
      back()
    } else checkPush(payload)
  }
  socket.on('data', (chunk) => {
    let bytes = rest ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer)
    if (state === SHAKING_HANDS) {
      const headerEnd = bytes.indexOf('\r\n\r\n')
      if (headerEnd < 0) {
        rest = bytes
        return
      }
      const status = bytes.toString('latin1', 9, 12)
      if (status !== '101') throw new Error(`A handshake was answered with ${status}.`)
      state = OPENING
      socket.write(open)
      bytes = bytes.subarray(headerEnd + 4)
    }
    rest = takeFrames(bytes, take)
  })
}

/** @returns an incomplete frame; null without one */
function takeFrames(bytes: Buffer, take: (payload: Buffer) => void): Buffer | null {
  let at = 0
  while (at + 2 <= bytes.length) {
    const short = bytes[at + 1]!
    const start = at + (short < 126 ? 2 : 4)
    if (start > bytes.length) break
    const end = start + (short < 126 ? short : bytes.readUInt16BE(at + 2))
    if (end > bytes.length) break
    take(bytes.subarray(start, end))
    at = end
  }
  return at < bytes.length ? bytes.subarray(at) : null
}

/** Checks that a push of the server is an unread notification or a message. */
function checkPush(payload: Buffer): void {
  const command: GenericCommand = decode(payload, 'protobuf')
  if (command.i === undefined && ['unread', 'direct', 'patch'].includes(command.cmd)) return
  const { code, reason } = command.errorMessage ?? command.sessionMessage ?? {}
  throw new Error(`A client that comes back is told ${command.cmd}/${command.op} ${code} ${reason}.`)
}

/** Logs a client in for the first time, for the token with which it reconnects as the JavaScript client does (4.1). */
async function prepare(spec: ReturningSpec, id: string): Promise<Returning> {
  const client = await logIn(spec, id)
  const { st } = await tokenOf(client)
  client.socket.end()
  const now = Date.now()
  const sessionMessage: SessionCommand = {
    ua: 'js/5.0.0-rc.8',
    r: true,
    st,
    lastUnreadNotifTime: now,
    lastPatchTime: now,
    configBitmap: CAPABILITIES,
  }
  const frame = (command: GenericCommand) => maskedFrame(encode(command, 'protobuf'))
  return {
    open: frame({ cmd: 'session', op: 'open', appId: spec.appId, peerId: id, i: 1, sessionMessage }),
    join: frame({ cmd: 'conv', op: 'add', i: 2, convMessage: { cid: spec.roomId, m: [id] } }),
  }
}

async function tokenOf(client: Client): Promise<{ st: string }> {
  const { sessionMessage } = await client.request({ cmd: 'session', op: 'refresh', peerId: client.id })
  if (!sessionMessage?.st) throw new Error('A client is given no token.')
  return { st: sessionMessage.st }
}
