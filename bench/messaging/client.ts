import { decode, encode } from '../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { type ClientSocket, connect } from './client-socket.ts'

export const SUBPROTOCOL = 'lc.protobuf2.3'
/** The capabilities sent by the official JavaScript client (protocol/realtime, configBitmap). */
export const CAPABILITIES = 0xbb
/** Concurrent logins. */
const LOGINS = 50
/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 30_000

/** A messaging server, and the app to which clients log in. */
export interface Server {
  readonly url: string
  readonly appId: string
}

/** A logged in client on a separate connection. */
export class Client {
  readonly id: string
  readonly socket: ClientSocket
  /** Called with commands the server sends on its own. */
  onPush: (command: GenericCommand) => void = () => {}
  readonly #answers = new Map<number, (command: GenericCommand) => void>()
  #requests = 0

  constructor(id: string, socket: ClientSocket) {
    this.id = id
    this.socket = socket
    socket.onFrame = (payload) => this.#take(decode(payload, 'protobuf'))
  }

  /**
   * Sends a command that has no response. Like the official clients, a client alone on its connection sends its id only at
   * login.
   */
  send(command: GenericCommand): void {
    this.socket.send(encode(command, 'protobuf'))
  }

  /** Sends a command and calls `answered` with its response as soon as it arrives. */
  sendCommand(command: GenericCommand, answered: (answer: GenericCommand) => void): void {
    const i = ++this.#requests
    this.#answers.set(i, answered)
    this.send({ ...command, i })
  }

  /**
   * Sends a command and waits for its response.
   * @throws Error when it is rejected or gets no response
   */
  async request(command: GenericCommand): Promise<GenericCommand> {
    const answer = await new Promise<GenericCommand>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`No answer to ${command.cmd}/${command.op ?? ''}.`)), TIMEOUT_MS)
      this.sendCommand(command, (answer) => {
        clearTimeout(late)
        resolve(answer)
      })
    })
    return checkAnswer(answer)
  }

  #take(command: GenericCommand): void {
    const { i } = command
    const answered = i === undefined ? undefined : this.#answers.get(i)
    if (i !== undefined) this.#answers.delete(i)
    if (answered) answered(command)
    else this.onPush(command)
  }
}

/** @throws Error when it is a rejection (protocol/realtime, Sending: direct; protocol/realtime, Request/reply overview) */
export function checkAnswer(answer: GenericCommand): GenericCommand {
  const refusal = answer.errorMessage ?? answer.ackMessage
  if (refusal?.code === undefined) return answer
  throw new Error(`The server refuses with ${refusal.code} ${refusal.reason ?? ''}`)
}

export async function logIn({ url, appId }: Server, id: string): Promise<Client> {
  const client = new Client(id, await connect(url, SUBPROTOCOL))
  const sessionMessage = { ua: 'bench/1', r: false, deviceId: `device of ${id}`, configBitmap: CAPABILITIES }
  const answer = await client.request({ cmd: 'session', op: 'open', appId, peerId: id, sessionMessage })
  if (answer.op !== 'opened') throw new Error(`A login is answered with ${answer.cmd}/${answer.op}.`)
  return client
}

/** Logs in `count` clients with ids of the same length. */
export function logInMany(server: Server, name: string, count: number): Promise<Client[]> {
  return inChunks(count, (n) => logIn(server, `${name}-${String(n).padStart(5, '0')}`))
}

/** Returns the results of `work` for the numbers below `count`, with limited concurrency. */
export async function inChunks<Result>(count: number, work: (n: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < count) {
    const numbers = Array.from({ length: Math.min(LOGINS, count - results.length) }, (_, n) => results.length + n)
    results.push(...(await Promise.all(numbers.map(work))))
  }
  return results
}
