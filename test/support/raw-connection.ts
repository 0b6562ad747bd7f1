import { onTestFinished } from 'vitest'
import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import type { TestApp } from './app.ts'
import { type CommandFrames, type CommandSocket, openCommandSocket } from './command-socket.ts'

/** A connection for commands that the official JavaScript client never sends. */
export interface RawConnection extends CommandSocket<GenericCommand> {
  /** Sends a request, adding a number unless it has one, and resolves with its response. */
  request(command: GenericCommand): Promise<GenericCommand>
  /** Sends `session/open` with these members of its message. @returns the response */
  open(peerId: string | undefined, sessionMessage?: GenericCommand['sessionMessage']): Promise<GenericCommand>
}

const PROTOBUF: CommandFrames<GenericCommand> = {
  encode: (command) => encode(command, 'protobuf'),
  decode: (frame) => decode(frame, 'protobuf'),
}

/** Connects to the server, from a given local address if any; the connection closes with the test. */
export async function connect(
  app: Pick<TestApp, 'url' | 'appId'>,
  subprotocol: 'lc.protobuf2.1' | 'lc.protobuf2.3' = 'lc.protobuf2.3',
  localAddress?: string,
): Promise<RawConnection> {
  const socket = await openCommandSocket(app.url, subprotocol, PROTOBUF, localAddress)
  onTestFinished(() => socket.drop())
  let lastNumber = 0
  const request = (command: GenericCommand) => {
    const i = command.i ?? ++lastNumber
    socket.send({ ...command, i })
    return socket.take((response) => response.i === i)
  }
  return {
    ...socket,
    request,
    open: (peerId, sessionMessage) => {
      const message = { configBitmap: 0xbb, ...sessionMessage }
      return request({ cmd: 'session', op: 'open', appId: app.appId, peerId, sessionMessage: message })
    },
  }
}
