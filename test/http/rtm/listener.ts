import { once } from 'node:events'
import { afterAll, expect, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { TestApp } from '../../support/app.ts'

/** A command in flat JSON (protocol/realtime, JSON subprotocol (lc.json.3, C# LiveQuery)). */
export interface ReceivedCommand {
  readonly [field: string]: unknown
}

/** An online client of an app, and the commands it received. */
export interface Listener {
  readonly received: ReceivedCommand[]
  /** The contents of the received messages, in order. */
  texts(): unknown[]
  /** Resolves with a received or future command that has these fields. */
  waitFor(fields: ReceivedCommand): Promise<ReceivedCommand>
  /**
   * Sends a command.
   * @returns the response
   */
  ask(command: ReceivedCommand): Promise<ReceivedCommand>
}

/** Creates clients that log in on separate connections, which close with the test file. */
export function listenersOf({ url, appId }: Pick<TestApp, 'url' | 'appId'>) {
  const sockets: WebSocket[] = []
  afterAll(() => {
    for (const socket of sockets) socket.terminate()
  })
  return async (
    peerId: string,
    open: ReceivedCommand = {},
  ): Promise<Listener & { readonly opened: ReceivedCommand }> => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), 'lc.json.3')
    sockets.push(socket)
    const received: ReceivedCommand[] = []
    let count = 0
    socket.on('message', (data) => received.push(JSON.parse(String(data)) as ReceivedCommand))
    await once(socket, 'open')
    const waitFor = (fields: ReceivedCommand) =>
      vi.waitFor(() => {
        const found = received.find((command) => matches(command, fields))
        expect(found, `nothing like ${JSON.stringify(fields)} in ${JSON.stringify(received)}`).toBeDefined()
        return found!
      }, 10_000)
    const ask = (command: ReceivedCommand) => {
      const i = ++count
      socket.send(JSON.stringify({ ...command, appId, peerId, i }))
      return waitFor({ i })
    }
    const opened = await ask({ cmd: 'session', op: 'open', configBitmap: 0xbb, ...open })
    const texts = () => received.filter(({ cmd }) => cmd === 'direct').map(({ msg }) => msg)
    return { received, texts, waitFor, ask, opened }
  }
}

function matches(command: ReceivedCommand, fields: ReceivedCommand): boolean {
  try {
    expect(command).toMatchObject(fields)
    return true
  } catch {
    return false
  }
}
