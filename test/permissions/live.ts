import { connect, type RawConnection } from '../support/raw-connection.ts'
import type { ModelObject, Who } from './model.ts'
import { Refused } from './model.ts'
import { type Condition, checkMayAsk, meets, toJson } from './query.ts'
import type { Random } from './random.ts'
import { ask, compare } from './reads.ts'
import { reduced, shown } from './shown.ts'
import { lastClass, note, TAGS, type World } from './world.ts'
import type { Written } from './writes.ts'

interface Subscription {
  readonly queryId: string
  readonly className: string
  readonly where: Condition | null
}

/** A caller with live queries on a separate connection. */
interface Listener {
  readonly who: Who
  readonly id: string
  readonly connection: RawConnection
  subscriptions: Subscription[]
  /** The events expected since the last comparison, and the number of received events already compared. */
  wanted: string[]
  seen: number
}

/** Compares the live query events of a world's clients with the model. */
export class Live {
  readonly #world: World
  readonly #listeners: Listener[] = []
  /** A class all clients subscribe to; its event follows all earlier ones. */
  readonly #last: string
  #looks = 0

  constructor(world: World) {
    this.#world = world
    this.#last = lastClass(world.name)
  }

  async open(random: Random): Promise<void> {
    for (const who of this.#world.callers) {
      if (who.kind === 'master') continue
      const connection = await connect(this.#world.app)
      const id = `${this.#world.name} ${who.id} ${random.below(2 ** 31)}`
      const appId = this.#world.app.appId
      await connection.request({ cmd: 'login', appId, installationId: id, service: 1 })
      const listener: Listener = { who, id, connection, subscriptions: [], wanted: [], seen: 0 }
      this.#listeners.push(listener)
      await this.#subscribe(listener, random)
    }
  }

  /** Must be called after each write. */
  wrote({ before, after }: Written): void {
    const { model } = this.#world
    for (const { who, subscriptions, wanted } of this.#listeners)
      for (const { queryId, className, where } of subscriptions) {
        if (className !== (after ?? before)!.className || !this.#mayAsk(className, where, who)) continue
        const isNotified = (object: ModelObject | null) =>
          object !== null && (!where || meets(model, where, object, who)) && model.mayRead(object, who)
        const op = operationOf(isNotified(before), isNotified(after), before === null, after === null)
        if (op === null) continue
        const object = (after ?? before)!
        const isBare = after !== null && !model.mayRead(after, who)
        const fields = isBare ? { objectId: object.id } : shown(model, object, who)
        note(this.#world, `${op} ${isBare ? 'without content ' : ''}told`)
        wanted.push(textOf(queryId, op, { ...fields, className }))
      }
  }

  /**
   * Compares the events received since the last comparison.
   * @throws Difference
   */
  async look(): Promise<void> {
    const { model, app } = this.#world
    const number = ++this.#looks
    await app.request('POST', `/1.1/classes/${this.#last}`, { master: true, body: { number } })
    for (const listener of this.#listeners) {
      const { who, connection, seen, wanted } = listener
      await connection.take(
        (command) => command.cmd === 'data' && JSON.stringify(command).includes(`\\"number\\":${number},`),
      )
      const told = connection.received.slice(seen).flatMap(({ dataMessage }) => dataMessage?.msg ?? [])
      const events = told.map(({ data }) => JSON.parse(data))
      listener.seen = connection.received.length
      listener.wanted = []
      const got = events
        .filter(({ object }) => object.className !== this.#last)
        .map(({ query_id, op, object, updatedKeys }) => {
          const shown = reduced(model, object, object.className, who)
          const { hidden } = model.classOf(object.className)
          const leaked = (updatedKeys ?? []).filter((key: string) => hidden.has(key))
          return textOf(query_id, leaked.length > 0 ? `${op} of ${leaked}` : op, shown)
        })
      compare({ status: 0, body: wanted.sort() }, 0, got.sort(), { live: who })
    }
  }

  /** Ends the session of a user: no events are sent until it subscribes with a new session. */
  async endSession(random: Random): Promise<void> {
    const user = random.pick(this.#world.users)
    const who = { kind: 'user', id: user.id } as const
    const { body } = await ask(this.#world, who, 'PUT', `/1.1/users/${user.id}/refreshSessionToken`)
    user.session = body.sessionToken
    const listener = this.#listeners.find((one) => one.who.id === user.id)!
    const before = listener.subscriptions
    listener.subscriptions = []
    // A subscription without a user continues, so it still receives the last object.
    if (random.chance(0.5)) return
    for (const { className, where, queryId } of before) {
      const answer = await this.#request(listener, className, where)
      if (answer.status !== 200) continue
      compare({ status: 0, body: queryId }, 0, answer.body.query_id, { live: 'subscribed again', who })
      listener.subscriptions.push({ queryId, className, where })
    }
  }

  end(): void {
    for (const { connection } of this.#listeners) connection.drop()
  }

  async #subscribe(listener: Listener, random: Random): Promise<void> {
    const { app } = this.#world
    await app.request('POST', '/1.1/LiveQuery/subscribe', {
      body: { id: listener.id, query: { className: this.#last } },
    })
    for (const className of this.#world.classNames) {
      const where = randomWhere(random)
      const { status, body } = await this.#request(listener, className, where)
      const isAllowed = this.#mayAsk(className, where, listener.who)
      note(this.#world, `subscription ${isAllowed ? 'made' : 'refused'}`)
      compare({ status: isAllowed ? 200 : 403 }, status, undefined, { live: 'subscribe', className, who: listener.who })
      if (isAllowed) listener.subscriptions.push({ queryId: body.query_id, className, where })
    }
  }

  #request({ who, id }: Listener, className: string, where: Condition | null) {
    const query = { className, where: where ? toJson(where) : {} }
    return ask(this.#world, who, 'POST', '/1.1/LiveQuery/subscribe', { id, query })
  }

  #mayAsk(className: string, where: Condition | null, who: Who): boolean {
    const { model } = this.#world
    if (!model.isOpen(className, 'find', who)) return false
    try {
      if (where) checkMayAsk(model, where, className, who)
      return true
    } catch (error) {
      if (error instanceof Refused) return false
      throw error
    }
  }
}

function operationOf(was: boolean, is: boolean, isNew: boolean, isGone: boolean): string | null {
  if (isNew) return is ? 'create' : null
  if (isGone) return was ? 'delete' : null
  if (was) return is ? 'update' : 'leave'
  return is ? 'enter' : null
}

function randomWhere(random: Random): Condition | null {
  const kind = random.next()
  if (kind < 0.4) return null
  if (kind < 0.7) return { kind: 'compare', field: 'n', how: random.pick(['=', '!=', '>']), value: random.below(4) }
  return { kind: 'compare', field: random.pick(['tag', 'secret']), how: '=', value: random.pick(TAGS) }
}

/** Returns a text that is equal for equal events, regardless of the order of members. */
function textOf(queryId: string, op: string, object: Record<string, unknown>): string {
  return JSON.stringify([queryId, op, sorted(object)])
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}
