import { decode, encode } from '../../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../../src/realtime-protocol/schema.ts'
import { type CommandFrames, openCommandSocket } from '../../support/command-socket.ts'
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

const JSON_FRAMES: CommandFrames<Command> = {
  encode: (command) => JSON.stringify(command),
  decode(frame, isBinary) {
    if (isBinary) throw new Error('A frame of JSON is binary')
    return JSON.parse(frame.toString()) as Command
  },
}

/** Returns the frames of a client that rejects commands above `maxBytes`. */
function protobufFrames(maxBytes: number | undefined): CommandFrames<Command> {
  return {
    encode(command) {
      const frame = encode(command as GenericCommand, 'protobuf')
      if (maxBytes !== undefined && frame.length > maxBytes) {
        throw new Error(`The client refuses to send a command of ${frame.length} bytes`)
      }
      return frame
    },
    decode(frame, isBinary) {
      if (!isBinary) throw new Error('A frame of Protocol Buffers is text')
      return { ...decode(frame, 'protobuf') }
    },
  }
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
  const frames = isJson ? JSON_FRAMES : protobufFrames(maxCommandBytes)
  const socket = await openCommandSocket(url, subprotocol, frames)
  /** The clients and live queries opened or logged in on the connection. */
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

  const take = (fits: Fits) => socket.take(fits, RESPONSE_TIMEOUT_MS)
  const write = (command: Command) => {
    if (command.cmd === 'session' && command.op === 'open') receivers.add(String(command.peerId))
    if (command.cmd === 'login') receivers.add(String(command.installationId))
    socket.send(command)
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
    dropped: () => socket.received.filter((push) => push.i === undefined && !isHandled(push)),
    drop: socket.drop,
  }
}
