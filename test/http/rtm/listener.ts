import { once } from 'node:events'
import { afterAll, expect, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { TestApp } from '../../support/app.ts'

/** A command in flat JSON (protocol/realtime, JSON subprotocol (lc.json.3, C# LiveQuery)). */
export interface Told {
  readonly [field: string]: unknown
}

/** An online client of an app, and the commands it received. */
export interface Listener {
  readonly told: Told[]
  /** The contents of the received messages, in order. */
  texts(): unknown[]
  /** Resolves with a received or future command that has these fields. */
  heard(fields: Told): Promise<Told>
  /**
   * Sends a command.
   * @returns the response
   */
  ask(command: Told): Promise<Told>
}

/** Creates clients that log in on separate connections, which close with the test file. */
export function listenersOf({ url, appId }: Pick<TestApp, 'url' | 'appId'>) {
  const sockets: WebSocket[] = []
  afterAll(() => {
    for (const socket of sockets) socket.terminate()
  })
  return async (peerId: string, open: Told = {}): Promise<Listener & { readonly opened: Told }> => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), 'lc.json.3')
    sockets.push(socket)
    const told: Told[] = []
    let count = 0
    socket.on('message', (data) => told.push(JSON.parse(String(data)) as Told))
    await once(socket, 'open')
    const heard = (fields: Told) =>
      vi.waitFor(() => {
        const found = told.find((command) => matches(command, fields))
        expect(found, `nothing like ${JSON.stringify(fields)} in ${JSON.stringify(told)}`).toBeDefined()
        return found!
      }, 10_000)
    const ask = (command: Told) => {
      const i = ++count
      socket.send(JSON.stringify({ ...command, appId, peerId, i }))
      return heard({ i })
    }
    const opened = await ask({ cmd: 'session', op: 'open', configBitmap: 0xbb, ...open })
    const texts = () => told.filter(({ cmd }) => cmd === 'direct').map(({ msg }) => msg)
    return { told, texts, heard, ask, opened }
  }
}

function matches(command: Told, fields: Told): boolean {
  try {
    expect(command).toMatchObject(fields)
    return true
  } catch {
    return false
  }
}
