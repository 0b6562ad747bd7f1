import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import type { TestApp } from './app.ts'

type Fits = (command: GenericCommand) => boolean

/** A socket to the server, for commands that the official client for JavaScript never sends. */
export interface RawConnection {
  /** All that has come, in its order. */
  readonly received: readonly GenericCommand[]
  send(command: GenericCommand): void
  /** The first command that has come, or will come, that fits and was not taken before. */
  take(fits: Fits): Promise<GenericCommand>
  /** Sends a request, with a number unless it has one, and resolves with its answer. */
  request(command: GenericCommand): Promise<GenericCommand>
  /** Opens a session, as `session/open` with what else the message holds. @returns the answer */
  open(peerId: string | undefined, sessionMessage?: GenericCommand['sessionMessage']): Promise<GenericCommand>
  /** The code and reason with which the server closes. */
  readonly closed: Promise<readonly [code: number, reason: string]>
  /** Reads nothing for a while. */
  pause(): void
  resume(): void
  /** Breaks the connection off without a word. */
  drop(): void
}

/** Connects to the server, from an address of this machine if one is given; the connection ends with the test. */
export async function connect(
  app: Pick<TestApp, 'url' | 'appId'>,
  subprotocol: 'lc.protobuf2.1' | 'lc.protobuf2.3' = 'lc.protobuf2.3',
  localAddress?: string,
): Promise<RawConnection> {
  const socket = new WebSocket(
    app.url.replace('http', 'ws'),
    subprotocol,
    localAddress === undefined ? {} : { localAddress },
  )
  onTestFinished(() => socket.terminate())
  const received: GenericCommand[] = []
  const untaken: GenericCommand[] = []
  const waiting: { fits: Fits; resolve: (command: GenericCommand) => void }[] = []
  socket.on('message', (frame) => {
    const command = decode(frame as Buffer, 'protobuf')
    received.push(command)
    const index = waiting.findIndex(({ fits }) => fits(command))
    if (index < 0) untaken.push(command)
    else waiting.splice(index, 1)[0]!.resolve(command)
  })
  const closed = new Promise<readonly [number, string]>((resolve) => {
    socket.once('close', (code, reason) => resolve([code, reason.toString()]))
  })
  await once(socket, 'open')

  let lastNumber = 0
  const send = (command: GenericCommand) => socket.send(encode(command, 'protobuf'))
  const take = (fits: Fits) => {
    const index = untaken.findIndex(fits)
    if (index >= 0) return Promise.resolve(untaken.splice(index, 1)[0]!)
    return new Promise<GenericCommand>((resolve) => waiting.push({ fits, resolve }))
  }
  const request = (command: GenericCommand) => {
    const i = command.i ?? ++lastNumber
    send({ ...command, i })
    return take((answer) => answer.i === i)
  }
  return {
    received,
    send,
    take,
    request,
    open: (peerId, sessionMessage) => {
      const message = { configBitmap: 0xbb, ...sessionMessage }
      return request({ cmd: 'session', op: 'open', appId: app.appId, peerId, sessionMessage: message })
    },
    closed,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    drop: () => socket.terminate(),
  }
}
