import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll } from 'vitest'
import type { TextMessage } from '../../src/sms/sms.ts'
import type { TestApp } from './app.ts'

/** The recipients of an app's text messages. */
export interface Phones {
  readonly messages: TextMessage[]
  /** Sends the response to the next messages; defaults to `taken`. */
  answer: (response: ServerResponse) => void
  /** Returns an unused number with its country code. */
  newNumber(): string
  /** Returns the messages sent to a number. */
  sentTo(number: string): TextMessage[]
  /** Returns the last code sent to a number. */
  codeOf(number: string): string
  /** Backdates the messages of a number, for its limits. */
  wait(number: string, seconds: number): Promise<void>
}

export const taken = (response: ServerResponse) => void response.writeHead(204).end()
export const refused = (response: ServerResponse) => void response.writeHead(500).end()

/** Returns a code that differs from this one. */
export function wrong(code: string): string {
  return code === '000000' ? '000001' : '000000'
}

let numbers = 0

/** Makes an app send its text messages here, until the test file ends. */
export async function connectPhones(app: TestApp): Promise<Phones> {
  const server = createServer(async (request, response) => {
    phones.messages.push((await json(request)) as TextMessage)
    phones.answer(response)
  })
  const phones: Phones = {
    messages: [],
    answer: taken,
    newNumber: () => `+8613${String(++numbers).padStart(9, '0')}`,
    sentTo: (number) => phones.messages.filter(({ phone }) => phone === number),
    codeOf(number) {
      const code = phones.sentTo(number).at(-1)?.code
      if (!code) throw new Error(`no code was sent to ${number}`)
      return code
    },
    async wait(number, seconds) {
      await app.sql('UPDATE "$sms_sent" SET sent_at = sent_at - make_interval(secs => $2) WHERE phone = $1', [
        number,
        seconds,
      ])
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await app.admin('PATCH', '/settings', { sms: { service: { provider: 'webhook', webhook: { url } } } })
  return phones
}
