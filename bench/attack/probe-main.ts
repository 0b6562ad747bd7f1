import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Chat } from './chat.ts'
import { type Kind, type Observation, RATES } from './probe.ts'
import { clientHeaders, honestAddress, type Target } from './target.ts'

/** Milliseconds after which an honest client counts a request as failed. */
const TIMEOUT_MS = 15_000
/** Clients that send requests round robin, each from a separate address. */
const CLIENTS = 20

type Order = { readonly target: Target } | { readonly seconds: number }

let target: Target
let pair: Pair

process.on('message', async (order: Order) => {
  if ('target' in order) {
    target = order.target
    pair = new Pair(target)
    await pair.renew()
    process.send!('ready')
  } else process.send!(await observe(order.seconds))
})
process.on('disconnect', () => process.exit())

/** Sends requests at even intervals regardless of responses; latencies include the delay since the scheduled time. */
async function observe(seconds: number): Promise<Observation> {
  const faults: string[] = []
  const kinds = Object.keys(RATES) as Kind[]
  const observed = await Promise.all(kinds.map((kind) => pace(kind, RATES[kind], seconds, faults)))
  return { ...(Object.fromEntries(kinds.map((kind, n) => [kind, observed[n]!])) as Record<Kind, never>), faults }
}

async function pace(kind: Kind, rate: number, seconds: number, faults: string[]) {
  const latencies: number[] = []
  let failures = 0
  const began = performance.now()
  const requests: Promise<void>[] = []
  for (let n = 0; n < rate * seconds; n++) {
    const due = began + (n * 1000) / rate
    for (let early = due - performance.now(); early > 0; early = due - performance.now()) await sleep(early)
    requests.push(
      ACTS[kind](n).then(
        () => void latencies.push(performance.now() - due),
        (error: Error) => {
          failures++
          latencies.push(Math.max(performance.now() - due, TIMEOUT_MS))
          if (faults.length < 5) faults.push(`${kind}: ${error.message.slice(0, 100)}`)
        },
      ),
    )
  }
  await Promise.all(requests)
  return { latencies: latencies.sort((left, right) => left - right), failures }
}

const ACTS: Readonly<Record<Kind, (n: number) => Promise<void>>> = {
  get: (n) =>
    sendRequest(n, 'GET', `/classes/${target.items.className}/${target.items.ids[(n * 7) % target.items.ids.length]}`),
  query: (n) => {
    const where = JSON.stringify({ group: n % 100 })
    return sendRequest(n, 'GET', `/classes/${target.items.className}?${new URLSearchParams({ where })}`)
  },
  chat: () => pair.roundTrip(),
  login: (n) => {
    const { name, password } = target.users[n % target.users.length]!
    return sendRequest(n, 'POST', '/login', { username: name, password })
  },
}

const agents = Array.from(
  { length: CLIENTS },
  (_, n) => new Agent({ keepAlive: true, localAddress: honestAddress(n) } as object),
)

function sendRequest(n: number, method: string, path: string, body?: object): Promise<void> {
  const agent = agents[n % CLIENTS]!
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    request(`${target.url}/1.1${path}`, { method, headers: clientHeaders(target), agent, signal }, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      )
    })
      .on('error', reject)
      .end(body && JSON.stringify(body))
  })
}

/** Two clients that exchange messages; a message counts when the other client has received it. */
class Pair {
  readonly #target: Target
  #sender: Chat | undefined
  #receiver: Chat | undefined
  #renewal: Promise<void> | undefined
  readonly #awaited = new Map<string, () => void>()

  constructor(target: Target) {
    this.#target = target
  }

  async roundTrip(): Promise<void> {
    if (!this.#sender?.isOpen || !this.#receiver?.isOpen) await this.renew()
    const msg = randomUUID()
    const arrived = new Promise<void>((resolve, reject) => {
      this.#awaited.set(msg, resolve)
      setTimeout(() => reject(new Error('message did not arrive')), TIMEOUT_MS).unref()
    })
    // It can fail while the send is pending.
    arrived.catch(() => {})
    try {
      await this.#sender!.request({ cmd: 'direct', directMessage: { cid: this.#target.conversation, msg } })
      await arrived
    } finally {
      this.#awaited.delete(msg)
    }
  }

  renew(): Promise<void> {
    this.#renewal ??= this.#connect().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #connect(): Promise<void> {
    this.#sender?.end()
    this.#receiver?.end()
    const [sender, receiver] = await Promise.all([0, 1].map((n) => Chat.connect(this.#target, honestAddress(100 + n))))
    await Promise.all([sender!.open('honest-sender'), receiver!.open('honest-receiver')])
    receiver!.onPush = (command) => this.#awaited.get(command.directMessage?.msg ?? '')?.()
    this.#sender = sender
    this.#receiver = receiver
  }
}
