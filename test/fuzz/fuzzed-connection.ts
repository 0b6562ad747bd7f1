import { once } from 'node:events'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { chooseSubprotocol } from '../../src/realtime/subprotocol.ts'
import { decode } from '../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { frameOf, type WireMessage } from './command-frames.ts'

/** Timeout of a response, in milliseconds. */
const TIMEOUT_MS = 30_000

/** A socket that counts commands and their responses. */
export interface FuzzedConnection {
  readonly received: readonly GenericCommand[]
  /** The reason the server closed the connection, or null. */
  readonly closing: { readonly code: number; readonly reason: string } | null
  /** In bytes; above some lengths the server closes the connection. */
  readonly longestFrame: number
  send(command: WireMessage): void
  /** Resolves when every request has its response, or the server has closed the connection. */
  settled(): Promise<void>
  /** Closes the connection, or drops it. */
  end(how: 'close' | 'drop'): Promise<void>
  /** The number of responses by request number, received and expected. */
  answers(): { readonly given: ReadonlyMap<number, number>; readonly due: ReadonlyMap<number, number> }
  /** The number of requests without a number. */
  readonly unnumbered: number
}

export async function openFuzzed(url: string, subprotocol: string): Promise<FuzzedConnection> {
  const { encoding } = chooseSubprotocol([subprotocol])!
  const socket = new WebSocket(url.replace('http', 'ws'), subprotocol)
  const received: GenericCommand[] = []
  const due = new Map<number, number>()
  const given = new Map<number, number>()
  let closing: FuzzedConnection['closing'] = null
  let longestFrame = 0
  let unnumbered = 0
  let proceed = () => {}
  const isSettled = () => closing !== null || [...due].every(([i, count]) => (given.get(i) ?? 0) >= count)
  socket.on('message', (frame: Buffer, isBinary) => {
    const command = decode(isBinary ? frame : frame.toString(), encoding)
    received.push(command)
    if (command.i !== undefined) add(given, command.i)
    if (isSettled()) proceed()
  })
  const closed = once(socket, 'close').then(([code, reason]) => {
    closing = { code: code as number, reason: String(reason) }
    proceed()
  })
  await once(socket, 'open')

  return {
    received,
    get closing() {
      return closing
    },
    get longestFrame() {
      return longestFrame
    },
    get unnumbered() {
      return unnumbered
    },
    send(command) {
      const frame = frameOf(command, encoding)
      longestFrame = Math.max(longestFrame, Buffer.byteLength(frame))
      if (command.i === undefined) unnumbered++
      else if (waitsForAnswer(command)) add(due, command.i as number)
      socket.send(frame)
    },
    async settled() {
      if (isSettled()) return
      await new Promise<void>((resolve, reject) => {
        const shown = () => JSON.stringify({ due: [...due], given: [...given] })
        const timer = setTimeout(() => reject(new Error(`requests were not answered: ${shown()}`)), TIMEOUT_MS)
        proceed = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    async end(how) {
      if (how === 'close') socket.close()
      else socket.terminate()
      await closed
    },
    answers: () => ({ given, due }),
  }
}

function add(counts: Map<number, number>, i: number): void {
  counts.set(i, (counts.get(i) ?? 0) + 1)
}

/**
 * Returns whether a command has a response: all except these (protocol/realtime, Request/reply overview; protocol/realtime,
 * Server rules that are easy to miss, rule 22).
 */
function waitsForAnswer({ cmd, op }: WireMessage): boolean {
  return cmd !== 'ack' && cmd !== 'read' && !(cmd === 'patch' && op === 'modified')
}

/**
 * Checks that each request got one response, and no other command has a number (protocol/realtime, What every server command
 * must carry). An error without a number is the response to a request without one (protocol/realtime, Server rules that are easy
 * to miss, rule 8).
 */
export function checkNumbers({ received, closing, unnumbered, answers }: FuzzedConnection): void {
  const { given, due } = answers()
  if (closing === null) expect(Object.fromEntries(given)).toEqual(Object.fromEntries(due))
  else for (const [i, count] of given) expect(count, `answers to ${i}`).toBeLessThanOrEqual(due.get(i) ?? 0)
  const errors = received.filter(({ cmd, i }) => cmd === 'error' && i === undefined)
  expect(errors.length).toBeLessThanOrEqual(unnumbered)
}
