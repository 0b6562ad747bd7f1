import { setTimeout as sleep } from 'node:timers/promises'
import type { Api, Outcome, Reply } from './api.ts'
import { ObjectHistory, type StoredObjects } from './object-history.ts'

const COUNTERS = 4
/** The pause in milliseconds after a failed request. */
const PAUSE = 250

/** Creates a class with unique names; once per app. */
export async function prepareNames(admin: (path: string, body: object) => Promise<unknown>): Promise<void> {
  await admin('/classes', {
    className: 'Name',
    fields: { name: { type: 'String' }, owner: { type: 'String' }, round: { type: 'Number' } },
    indexes: [{ fields: ['name'], unique: true }],
  })
}

/** The endpoints with unique names, and the error code of a taken one. */
const NAMES = { path: '/1.1/classes/Name', key: 'name', taken: 137, more: {} } as const
const USERS = { path: '/1.1/users', key: 'username', taken: 202, more: { password: 'a password' } } as const

const pointerTo = (objectId: string) => ({ __type: 'Pointer', className: 'Note', objectId })

/**
 * Clients that write objects continuously: `size` each create, increment, update under a condition and send batches; a few
 * delete, relate, and claim the same names. Their objects contain the number of their round.
 */
export class ObjectWriters {
  readonly history = new ObjectHistory()
  readonly #api: Api
  readonly #round: number
  readonly #running: Promise<void>[] = []
  #team = ''
  #counters: readonly string[] = []
  #stopping = false

  private constructor(api: Api, round: number) {
    this.#api = api
    this.#round = round
  }

  /** Creates the objects to change, then starts the writers. */
  static async start(api: Api, round: number, size: number): Promise<ObjectWriters> {
    const writers = new ObjectWriters(api, round)
    const { history } = writers
    writers.#team = await writers.#make('Team', {})
    writers.#counters = await Promise.all(
      Array.from({ length: COUNTERS }, () => writers.#make('Counter', { total: 0, operations: [] })),
    )
    for (const id of writers.#counters) history.increments.set(id, new Map())
    const versioned = await Promise.all(Array.from({ length: size }, () => writers.#make('Versioned', { version: 0 })))
    for (const [number, id] of versioned.entries()) {
      history.versions.set(id, { acknowledged: 0, perhaps: 0 })
      writers.#run((iteration) => writers.#create(`note ${number}/${iteration}`))
      writers.#run((iteration) => writers.#increment(number, iteration))
      writers.#run(() => writers.#updateIf(id))
      writers.#run((iteration) => writers.#batch(number, iteration))
    }
    for (let number = 0; number < Math.ceil(size / 8); number++) {
      writers.#run((iteration) => writers.#relate(`related ${number}/${iteration}`))
      writers.#run((iteration) => writers.#remove(`removed ${number}/${iteration}`))
    }
    for (const owner of ['first', 'second']) {
      writers.#run((iteration) => writers.#claim(NAMES, `name ${iteration}`, `${owner} ${iteration}`))
      // Hashing a password costs as much as many writes.
      writers.#run((iteration) =>
        writers.#claim(USERS, `user ${iteration}`, `${owner} ${iteration}`).finally(() => sleep(PAUSE)),
      )
    }
    return writers
  }

  /** Resolves when `count` more writes have been acknowledged. */
  async acknowledge(count: number): Promise<void> {
    const goal = this.history.acknowledged + count
    while (this.history.acknowledged < goal) await sleep(5)
  }

  /** Lets every writer finish its current request. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#running)
  }

  /**
   * Returns the stored data of these writers, as read from the servers.
   * @throws Error when they do not respond
   */
  async read(): Promise<StoredObjects> {
    const [notes, counters, versions, names, users, members] = await Promise.all([
      this.#all('Note'),
      this.#all('Counter'),
      this.#all('Versioned'),
      this.#all('Name'),
      this.#all('_User'),
      this.#all('Note', { $relatedTo: { object: { ...pointerTo(this.#team), className: 'Team' }, key: 'members' } }),
    ])
    return {
      notes: notes.map(({ objectId, text }) => ({ id: String(objectId), text: String(text) })),
      counters: counters.map(({ objectId, total, operations }) => ({
        id: String(objectId),
        total: Number(total),
        operations: operations as string[],
      })),
      versions: versions.map(({ objectId, version }) => ({ id: String(objectId), version: Number(version) })),
      members: members.map(({ objectId }) => String(objectId)),
      names: [...names, ...users].map(({ name, username, owner }) => ({
        name: String(name ?? username),
        owner: String(owner),
      })),
    }
  }

  #run(iteration: (number: number) => Promise<Reply>): void {
    const loop = async () => {
      for (let number = 0; !this.#stopping; number++)
        if ((await iteration(number)).outcome === 'unknown') await sleep(PAUSE)
    }
    this.#running.push(loop())
  }

  /**
   * Creates an object that the writers need, while servers are running.
   * @throws Error
   */
  async #make(className: string, fields: object): Promise<string> {
    const reply = await this.#api.send('POST', `/1.1/classes/${className}`, { ...fields, round: this.#round })
    if (reply.outcome !== 'done') throw new Error(`A ${className} is answered with ${JSON.stringify(reply)}`)
    return reply.body.objectId
  }

  async #create(text: string): Promise<Reply> {
    const reply = await this.#honest('POST', '/1.1/classes/Note', { text, round: this.#round })
    this.history.create(text, reply.outcome, reply.outcome === 'done' ? reply.body.objectId : null)
    return reply
  }

  async #increment(number: number, iteration: number): Promise<Reply> {
    const [counter, operation, amount] = [
      this.#counters[number % COUNTERS]!,
      `${number}/${iteration}`,
      1 + (iteration % 3),
    ]
    const reply = await this.#honest('PUT', `/1.1/classes/Counter/${counter}`, incrementBody(amount, operation))
    this.history.increment(counter, operation, { amount, outcome: reply.outcome })
    return reply
  }

  /**
   * Updates an object under a condition. Only one writer uses the object, so the condition fails only after an update with an
   * unknown outcome.
   */
  async #updateIf(id: string): Promise<Reply> {
    const { acknowledged: version, perhaps } = this.history.versions.get(id)!
    const query = { where: JSON.stringify({ version }) }
    const reply = await this.#api.send('PUT', `/1.1/classes/Versioned/${id}`, { version: version + 1 }, { query })
    const isOutdated = reply.outcome === 'refused' && reply.body.code === 305
    if (reply.outcome === 'done' || (isOutdated && perhaps > version))
      this.history.version(id, version + 1, version + 1)
    else {
      if (isOutdated) this.#violation(`version ${version} of ${id} got lost`)
      else if (reply.outcome === 'refused') this.#violation(`an update was refused with ${JSON.stringify(reply.body)}`)
      this.history.version(id, version, version + 1)
    }
    return reply
  }

  async #batch(number: number, iteration: number): Promise<Reply> {
    const texts = ['a', 'b', 'c'].map((part) => `batch ${number}/${iteration}${part}`)
    const [counter, operation, amount] = [this.#counters[(number + 1) % COUNTERS]!, `batch ${number}/${iteration}`, 7]
    const creates = texts.map((text) => ({
      method: 'POST',
      path: '/1.1/classes/Note',
      body: { text, round: this.#round },
    }))
    const increment = { method: 'PUT', path: `/1.1/classes/Counter/${counter}`, body: incrementBody(amount, operation) }
    const reply = await this.#honest('POST', '/1.1/batch', { requests: [...creates, increment] })
    const items: { success?: { objectId: string }; error?: { code: number } }[] =
      reply.outcome === 'done' ? reply.body : []
    texts.forEach((text, index) => {
      this.history.create(text, this.#itemOutcome(items[index]), items[index]?.success?.objectId ?? null)
    })
    this.history.increment(counter, operation, { amount, outcome: this.#itemOutcome(items[3]) })
    return reply
  }

  #itemOutcome(item: { success?: object; error?: { code: number } } | undefined): Outcome {
    if (item?.success) return 'done'
    if (item?.error) {
      this.#api.faults.countFailure(`item ${item.error.code}`)
      if (item.error.code !== 511) this.#violation(`a part of a batch was refused with ${JSON.stringify(item.error)}`)
    }
    return 'unknown'
  }

  async #relate(text: string): Promise<Reply> {
    const created = await this.#create(text)
    if (created.outcome !== 'done') return created
    const members = { __op: 'AddRelation', objects: [pointerTo(created.body.objectId)] }
    const reply = await this.#honest('PUT', `/1.1/classes/Team/${this.#team}`, { members })
    this.history.addMember(created.body.objectId, reply.outcome)
    return reply
  }

  async #remove(text: string): Promise<Reply> {
    const created = await this.#create(text)
    if (created.outcome !== 'done') return created
    const reply = await this.#honest('DELETE', `/1.1/classes/Note/${created.body.objectId}`)
    this.history.delete(text, reply.outcome)
    return reply
  }

  /** Claims a name, which two writers do at about the same time. */
  async #claim(
    { path, key, taken, more }: typeof NAMES | typeof USERS,
    iteration: string,
    owner: string,
  ): Promise<Reply> {
    const name = `${iteration} of ${this.#round}`
    const reply = await this.#api.send('POST', path, { [key]: name, owner, round: this.#round, ...more })
    if (reply.outcome === 'refused' && reply.body.code !== taken)
      this.#violation(`a name was refused with ${JSON.stringify(reply.body)}`)
    this.history.claim(name, owner, reply.outcome)
    return reply
  }

  /** Sends a valid write, which must not be rejected. */
  async #honest(method: string, path: string, body?: object): Promise<Reply> {
    const reply = await this.#api.send(method, path, body)
    if (reply.outcome === 'refused') this.#violation(`${method} ${path} was refused with ${JSON.stringify(reply.body)}`)
    return reply
  }

  #violation(text: string): void {
    this.#api.faults.violations.push(text)
  }

  /** Returns all objects of a class written in this round. */
  async #all(className: string, where?: object): Promise<Record<string, unknown>[]> {
    const objects: Record<string, unknown>[] = []
    for (;;) {
      const last = objects.at(-1)
      const condition = { ...(where ?? { round: this.#round }), ...(last && { objectId: { $gt: last.objectId } }) }
      const query = { where: JSON.stringify(condition), order: 'objectId', limit: '1000' }
      const { results } = await this.#api.get(`/1.1/classes/${className}`, query)
      objects.push(...results)
      if (results.length < 1000) return objects
    }
  }
}

function incrementBody(amount: number, operation: string): object {
  return { total: { __op: 'Increment', amount }, operations: { __op: 'Add', objects: [operation] } }
}
