import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Reply } from '../support/app.ts'

/** What a writer was told, or null when the connection broke before it was told anything. */
export type Answer = Reply | null

/** An app as its clients know it. */
export interface Target {
  /** Where the app is served; changes when a new server takes over. */
  url: string
  readonly appId: string
  readonly appKey: string
  readonly masterKey: string
}

/** Longer than this, in milliseconds, no request may take, whatever happens to the database. */
const LONGEST_WAIT = 15_000

/** What the writers were told: the least and the most that must be found afterwards. */
export interface Ledger {
  /** Ids of objects whose creation was acknowledged, with what they hold. */
  readonly created: Map<string, string>
  /** Texts of objects whose creation had an unknown outcome. */
  readonly perhapsCreated: Set<string>
  /** Sum of the increments that were acknowledged, and of those with an unknown outcome, by object. */
  readonly increments: Map<string, { acknowledged: number; unknown: number }>
  /** The last acknowledged version by object, and one more where the outcome of the last update is unknown. */
  readonly versions: Map<string, { acknowledged: number; perhaps: number }>
  /** Every answer that was no success, by status and code, with how often it came. */
  readonly failures: Map<string, number>
  /** What no answer may be. */
  readonly violations: string[]
  /** Requests that the server never answered, because there was no server. */
  unanswered: number
  acknowledged: number
}

/** 64 clients that write without a pause: a quarter each creates, increments, updates under a condition, sends batches. */
export class Writers {
  readonly ledger: Ledger = {
    created: new Map(),
    perhapsCreated: new Set(),
    increments: new Map(),
    versions: new Map(),
    failures: new Map(),
    violations: [],
    unanswered: 0,
    acknowledged: 0,
  }
  readonly #target: Target
  readonly #running: Promise<void>[] = []
  #stopping = false

  private constructor(target: Target) {
    this.#target = target
  }

  /** Makes the objects that will be changed, then sets the writers to work. */
  static async start(target: Target): Promise<Writers> {
    const writers = new Writers(target)
    const { ledger } = writers
    const counters = await Promise.all(Array.from({ length: 4 }, () => writers.#make('Counter', { total: 0 })))
    for (const id of counters) ledger.increments.set(id, { acknowledged: 0, unknown: 0 })
    for (let number = 0; number < 16; number++) {
      const versioned = await writers.#make('Versioned', { version: 0 })
      ledger.versions.set(versioned, { acknowledged: 0, perhaps: 0 })
      writers.#run((turn) => writers.#create(`${number}/${turn}`))
      writers.#run((turn) => writers.#increment(counters[number % 4]!, 1 + (turn % 5)))
      writers.#run(() => writers.#updateIf(versioned))
      writers.#run((turn) => writers.#batch(`batch ${number}/${turn}`, counters[(number + 1) % 4]!))
    }
    return writers
  }

  /** Resolves when `count` more writes have been acknowledged. */
  async acknowledge(count: number): Promise<void> {
    const goal = this.ledger.acknowledged + count
    while (this.ledger.acknowledged < goal) await sleep(5)
  }

  /** Lets every writer finish what it does. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#running)
  }

  #run(turn: (number: number) => Promise<Answer>): void {
    const loop = async () => {
      for (let number = 0; !this.#stopping; number++) {
        const answer = await turn(number)
        // Nobody insists on a server that is away.
        if (answer === null || answer.status >= 500) await sleep(20)
      }
    }
    this.#running.push(loop())
  }

  async #make(className: string, body: object): Promise<string> {
    const { status, body: made } = await call(
      this.#target.url,
      'POST',
      `/1.1/classes/${className}`,
      this.#headers(),
      body,
    )
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(made)}`)
    return made.objectId
  }

  async #create(text: string): Promise<Answer> {
    const answer = await this.#send('POST', '/1.1/classes/Note', { text })
    if (answer?.status === 201) this.#acknowledgeCreate(answer.body.objectId, text)
    else this.ledger.perhapsCreated.add(text)
    return answer
  }

  async #increment(id: string, amount: number): Promise<Answer> {
    const body = { total: { __op: 'Increment', amount } }
    const answer = await this.#send('PUT', `/1.1/classes/Counter/${id}`, body)
    this.#countIncrement(id, amount, answer?.status === 200)
    return answer
  }

  /** A writer is alone with its object, so its condition fails only after an update whose outcome it did not learn. */
  async #updateIf(id: string): Promise<Answer> {
    const known = this.ledger.versions.get(id)!
    const version = known.acknowledged
    const where = encodeURIComponent(JSON.stringify({ version }))
    const answer = await this.#send('PUT', `/1.1/classes/Versioned/${id}?where=${where}`, { version: version + 1 })
    if (answer?.status === 200) {
      this.ledger.acknowledged++
      this.ledger.versions.set(id, { acknowledged: version + 1, perhaps: version + 1 })
    } else if (answer?.body.code === 305 && known.perhaps > version) {
      this.ledger.versions.set(id, { acknowledged: version + 1, perhaps: version + 1 })
    } else {
      if (answer?.body.code === 305) this.ledger.violations.push(`version ${version} of ${id} got lost`)
      this.ledger.versions.set(id, { acknowledged: version, perhaps: version + 1 })
    }
    return answer
  }

  async #batch(text: string, counter: string): Promise<Answer> {
    const texts = [`${text}a`, `${text}b`, `${text}c`]
    const answer = await this.#send('POST', '/1.1/batch', {
      requests: [
        ...texts.map((one) => ({ method: 'POST', path: '/1.1/classes/Note', body: { text: one } })),
        { method: 'PUT', path: `/1.1/classes/Counter/${counter}`, body: { total: { __op: 'Increment', amount: 7 } } },
      ],
    })
    const results = answer?.status === 200 ? (answer.body as { success?: { objectId: string }; error?: object }[]) : []
    texts.forEach((one, index) => {
      const success = results[index]?.success
      if (success) this.#acknowledgeCreate(success.objectId, one)
      else this.ledger.perhapsCreated.add(one)
    })
    this.#countIncrement(counter, 7, results[3]?.success !== undefined)
    for (const { error } of results) if (error) this.#countFailure('item', error)
    return answer
  }

  #acknowledgeCreate(id: string, text: string): void {
    if (this.ledger.created.has(id)) this.ledger.violations.push(`the id ${id} was given out twice`)
    this.ledger.created.set(id, text)
    this.ledger.acknowledged++
  }

  #countIncrement(id: string, amount: number, acknowledged: boolean): void {
    this.ledger.increments.get(id)![acknowledged ? 'acknowledged' : 'unknown'] += amount
    if (acknowledged) this.ledger.acknowledged++
  }

  #countFailure(status: number | 'item', body: { code?: unknown; error?: unknown }): void {
    const { failures, violations } = this.ledger
    const name = `${status} ${body.code}`
    failures.set(name, (failures.get(name) ?? 0) + 1)
    if (typeof body.code !== 'number' || typeof body.error !== 'string' || body.error === '')
      violations.push(`${status}: ${JSON.stringify(body)}`)
  }

  async #send(method: string, path: string, body: object): Promise<Answer> {
    const since = performance.now()
    const answer = await call(this.#target.url, method, path, this.#headers(), body, LONGEST_WAIT + 1000).catch(
      (error: Error) => {
        // An answer that breaks off in the middle is no answer; one that is no JSON is a fault.
        if (error instanceof SyntaxError) this.ledger.violations.push(String(error))
        return null
      },
    )
    const waited = performance.now() - since
    if (waited > LONGEST_WAIT) this.ledger.violations.push(`${method} ${path} took ${Math.round(waited)} ms`)
    if (answer === null) this.ledger.unanswered++
    else if (answer.status >= 300) this.#countFailure(answer.status, answer.body ?? {})
    return answer
  }

  #headers(): Record<string, string> {
    const { appId, appKey } = this.#target
    return { 'x-lc-id': appId, 'x-lc-key': appKey, 'content-type': 'application/json' }
  }
}

/** Compares what is stored with what the writers were told; says what is missing or too much. */
export async function audit(target: Target, ledger: Ledger): Promise<string[]> {
  const faults = [...ledger.violations]
  const notes = new Map((await all(target, 'Note')).map(({ objectId, text }) => [objectId as string, text as string]))
  for (const [id, text] of ledger.created)
    if (notes.get(id) !== text) faults.push(`Note ${id} '${text}' was acknowledged and is ${notes.get(id) ?? 'gone'}`)
  for (const [id, text] of notes)
    if (!ledger.created.has(id) && !ledger.perhapsCreated.has(text)) faults.push(`nobody made Note ${id} '${text}'`)
  for (const { objectId, total } of await all(target, 'Counter')) {
    const { acknowledged, unknown } = ledger.increments.get(objectId as string)!
    if ((total as number) < acknowledged || (total as number) > acknowledged + unknown)
      faults.push(`Counter ${objectId} is ${total}, not from ${acknowledged} to ${acknowledged + unknown}`)
  }
  for (const { objectId, version } of await all(target, 'Versioned')) {
    const { acknowledged, perhaps } = ledger.versions.get(objectId as string)!
    if (version !== acknowledged && version !== perhaps)
      faults.push(`Versioned ${objectId} is ${version}, not ${acknowledged} or ${perhaps}`)
  }
  return faults
}

async function all({ url, appId, masterKey }: Target, className: string): Promise<Record<string, unknown>[]> {
  const headers = { 'x-lc-id': appId, 'x-lc-key': `${masterKey},master` }
  const objects: Record<string, unknown>[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `limit=1000${cursor && `&cursor=${cursor}`}`
    const { body } = await call(url, 'GET', `/1.1/scan/classes/${className}?${query}`, headers, undefined)
    objects.push(...body.results)
    cursor = body.cursor as string | null
  }
  return objects
}
