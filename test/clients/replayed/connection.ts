import { once } from 'node:events'
import { WebSocket } from 'ws'
import { decode, encode } from '../../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../../src/realtime-protocol/schema.ts'
import type { RealtimeClient } from './fixture.ts'

type Command = Readonly<Record<string, unknown>>
type Fits = (command: Command) => boolean

const RESPONSE_TIMEOUT_MS = 20_000
const IM = 2
const LIVE_QUERY = 1

/** A connection that numbers requests and routes pushes as the client of a fixture does. */
export interface ClientConnection {
  /** Sends a command with the next number and resolves with the response. */
  request(command: Command): Promise<Command>
  /** Sends a command without a number. */
  send(command: Command): void
  /** Resolves with the first command without a number for the receiver that fits and was not returned before. */
  receive(receiver: string | undefined, fits: Fits): Promise<Command>
  /** Returns the commands without a number that the client would have dropped: it finds no receiver for them. */
  dropped(): Command[]
  /** Breaks the connection without closing it. */
  drop(): void
}

/**
 * Connects as the client of a fixture does.
 * @param peerId the messaging client whose connection it is; none for live queries over JSON
 */
export async function connectClient(
  url: string,
  { firstNumber, maxCommandBytes, routing }: RealtimeClient,
  peerId: string | undefined,
  subprotocol: string,
): Promise<ClientConnection> {
  const isJson = subprotocol === 'lc.json.3'
  const socket = new WebSocket(url.replace('http', 'ws'), subprotocol)
  const pushes: Command[] = []
  const untaken: Command[] = []
  const waiting = new Set<{ fits: Fits; resolve: (command: Command) => void }>()
  /** The clients and live queries that the connection has opened or logged in. */
  const receivers = new Set<string>()
  let defaultPeer: string | undefined
  let number = firstNumber

  /** websocketDidReceiveData of Swift, LCRTMWebSocket:didReceiveMessage: of Objective-C, LCConnection.OnMessage of C#. */
  const receiverOf = (push: Command): unknown => {
    if (routing === 'connection' || isJson) return peerId
    if (routing === 'peerId') return push.cmd === 'echo' || push.cmd === 'goaway' ? peerId : push.peerId
    if (push.service === IM) return push.peerId ?? defaultPeer
    return push.service === LIVE_QUERY ? push.installationId : undefined
  }
  const isHandled = (push: Command) =>
    routing === 'service' ? receivers.has(String(receiverOf(push))) : receiverOf(push) === peerId

  socket.on('message', (frame, isBinary) => {
    if (isBinary === isJson) throw new Error(`A frame of ${subprotocol} is ${isBinary ? 'binary' : 'text'}`)
    const command: Command = isJson ? JSON.parse(String(frame)) : { ...decode(frame as Buffer, 'protobuf') }
    if (command.i === undefined) pushes.push(command)
    const waiter = [...waiting].find(({ fits }) => fits(command))
    if (waiter) waiter.resolve(command)
    else untaken.push(command)
  })
  await once(socket, 'open')

  const take = async (fits: Fits): Promise<Command> => {
    const index = untaken.findIndex(fits)
    if (index >= 0) return untaken.splice(index, 1)[0]!
    let timeout: NodeJS.Timeout | undefined
    let waiter: { fits: Fits; resolve: (command: Command) => void } | undefined
    try {
      return await new Promise<Command>((resolve, reject) => {
        waiter = { fits, resolve }
        waiting.add(waiter)
        timeout = setTimeout(
          () => reject(new Error(`No such command was received, but ${JSON.stringify(untaken)}`)),
          RESPONSE_TIMEOUT_MS,
        )
      })
    } finally {
      clearTimeout(timeout)
      if (waiter) waiting.delete(waiter)
    }
  }
  const write = (command: Command) => {
    if (command.cmd === 'session' && command.op === 'open') receivers.add(String(command.peerId))
    if (command.cmd === 'login') receivers.add(String(command.installationId))
    if (isJson) return socket.send(JSON.stringify(command))
    const frame = encode(command as GenericCommand, 'protobuf')
    if (maxCommandBytes !== undefined && frame.length > maxCommandBytes) {
      throw new Error(`The client refuses to send a command of ${frame.length} bytes`)
    }
    socket.send(frame)
  }
  return {
    send: write,
    async request(command) {
      const i = number++
      write({ ...command, i })
      const response = await take((answer) => answer.i === i)
      // RTMConnection.checkSessionOpenedPeerID
      if (response.op === 'opened') defaultPeer ??= String(response.peerId)
      return response
    },
    receive: (receiver, fits) =>
      take((push) => push.i === undefined && isHandled(push) && receiverOf(push) === receiver && fits(push)),
    dropped: () => pushes.filter((push) => !isHandled(push)),
    drop: () => socket.terminate(),
  }
}
