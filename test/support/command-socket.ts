import { once } from 'node:events'
import { WebSocket } from 'ws'

type Fits<Command> = (command: Command) => boolean

/** The frame format of the commands of a subprotocol. */
export interface CommandFrames<Command> {
  encode(command: Command): Uint8Array | string
  /** @throws Error for a frame of the wrong kind */
  decode(frame: Buffer, isBinary: boolean): Command
}

/** A WebSocket whose messages are commands, numbered or not. */
export interface CommandSocket<Command> {
  /** All commands received, in order. */
  readonly received: readonly Command[]
  send(command: Command): void
  /**
   * Resolves with the first command that fits and was not taken before, when it is received.
   * @param timeoutMs no limit when omitted
   * @throws Error with the commands not taken, after `timeoutMs`
   */
  take(fits: Fits<Command>, timeoutMs?: number): Promise<Command>
  /** The code and reason with which the server closes. */
  readonly closed: Promise<readonly [code: number, reason: string]>
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  /** Breaks the connection without closing it. */
  drop(): void
}

interface Waiter<Command> {
  readonly fits: Fits<Command>
  resolve(command: Command): void
}

/** Opens a WebSocket, from an address of this machine if one is given. */
export async function openCommandSocket<Command>(
  url: string,
  subprotocol: string,
  frames: CommandFrames<Command>,
  localAddress?: string,
): Promise<CommandSocket<Command>> {
  const options = localAddress === undefined ? {} : { localAddress }
  const socket = new WebSocket(url.replace('http', 'ws'), subprotocol, options)
  const received: Command[] = []
  const untaken: Command[] = []
  const waiting = new Set<Waiter<Command>>()
  socket.on('message', (frame, isBinary) => {
    const command = frames.decode(frame as Buffer, isBinary)
    received.push(command)
    const waiter = [...waiting].find(({ fits }) => fits(command))
    if (!waiter) return untaken.push(command)
    waiting.delete(waiter)
    waiter.resolve(command)
  })
  const closed = new Promise<readonly [number, string]>((resolve) => {
    socket.once('close', (code, reason) => resolve([code, reason.toString()]))
  })
  await once(socket, 'open')

  const next = (fits: Fits<Command>, timeoutMs: number | undefined) =>
    new Promise<Command>((resolve, reject) => {
      let timeout: NodeJS.Timeout | undefined
      const waiter = {
        fits,
        resolve: (command: Command) => {
          clearTimeout(timeout)
          resolve(command)
        },
      }
      waiting.add(waiter)
      if (timeoutMs === undefined) return
      timeout = setTimeout(() => {
        waiting.delete(waiter)
        reject(new Error(`No such command was received, but ${JSON.stringify(untaken)}`))
      }, timeoutMs)
    })
  return {
    received,
    send: (command) => socket.send(frames.encode(command)),
    take(fits, timeoutMs) {
      const index = untaken.findIndex(fits)
      return index >= 0 ? Promise.resolve(untaken.splice(index, 1)[0]!) : next(fits, timeoutMs)
    },
    closed,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    drop: () => socket.terminate(),
  }
}
