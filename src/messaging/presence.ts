import type { Bus } from '../bus/bus.ts'
import { chunks } from '../bus/chunks.ts'
import type { Directory } from '../bus/directory.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import { addressKey } from '../limits/address-key.ts'
import type { Log } from '../log.ts'
import type { Principal } from '../scheduling/principal.ts'
import { TtlCache } from '../values/ttl-cache.ts'
import { DeliveryLine, OrderGate } from './delivery-order.ts'
import type { SessionEvent } from './events.ts'

/** What is known of all nodes together, as far as presence needs it. */
export type Whereabouts = Pick<
  Directory,
  | 'online'
  | 'offline'
  | 'whoIsOnline'
  | 'countOnline'
  | 'listOnline'
  | 'setCount'
  | 'sumCount'
  | 'entered'
  | 'left'
  | 'someElsewhere'
>

export interface PresenceOptions {
  readonly appId: string
  readonly bus: Bus
  readonly directory: Whereabouts
  /** There are no other nodes. */
  readonly alone: boolean
  /** Which of these clients subscribe to a system conversation. */
  readonly subscribersAmong: (convId: string, clientIds: readonly string[]) => Promise<ReadonlySet<string>>
  readonly log: Log
  /** Called when messages to chat rooms from an address wait for too long. */
  readonly onLate?: (address: string) => void
}

/** A client that requests something, and the principal charged for it; the app when omitted. */
export interface Asker {
  readonly clientId: string
  readonly principal?: Principal
}

/** A client that is logged in on a connection of this node. */
export interface ClientSession extends Asker {
  /** Unique over all nodes. */
  readonly id: string
  /** A client has one session with the same tag at a time; null for no tag. */
  readonly tag: string | null
  readonly deviceId: string | null
  /** When it began, in milliseconds. */
  readonly openedAt: number
  /** 1: is sent the messages that it has missed. 3: is told how many there are. */
  readonly version: 1 | 3
  push(event: SessionEvent): void
  /** Ends the session for a reason that the client is told. */
  end(code: number, reason: string): void
}

/** Who is notified of something. */
export type Audience =
  | { readonly clients: readonly string[] }
  /** The sessions in a chat room, except those of one client. */
  | { readonly room: string; readonly without?: string }
  /** The subscribers of a system conversation. They may be a million, so each node finds out which of its own do. */
  | { readonly subscribers: string }
  | { readonly everyone: true }

/** Where a message stands in its conversation; see `OrderGate`. */
export interface Turn {
  readonly convId: string
  readonly before: number
  readonly ts: number
}

/** Where a session is. */
interface Place {
  readonly roomId: string
  /** Under which name other nodes find the room, should the device come back to one of them; null where it has no id. */
  readonly seat: string | null
}

interface Delivery {
  readonly to: Audience
  readonly event: SessionEvent
  /** A session that is not notified. */
  readonly except: string | null
  readonly turn: Turn | null
}

interface Ending {
  readonly end: {
    readonly clientId: string
    /** null: whatever their tags */
    readonly tag: string | null
    /** A session that goes on. */
    readonly except: string | null
    /** Sessions that began after this time, in milliseconds, go on too. */
    readonly openedUntil?: number
  }
  readonly code: number
  readonly reason: string
}

/** How many clients are looked up at once among the subscribers of a conversation. */
const CHUNK = 1000

/** For how long the size of a room is taken as it was, in milliseconds, and of how many rooms. */
const ROOM_SIZE_AGE = 2000
const ROOM_SIZES = 10_000

const NO_SESSIONS: ReadonlySet<ClientSession> = new Set()

/**
 * The clients of one app that are connected to this node, and the way to those on other nodes: what is delivered is published
 * to all nodes, and each passes it on to its own.
 */
export class Presence {
  readonly #appId: string
  readonly #bus: Bus
  readonly #directory: Whereabouts
  readonly #subscribersAmong: PresenceOptions['subscribersAmong']
  readonly #log: Log
  readonly #sessions = new Map<string, Set<ClientSession>>()
  readonly #rooms = new Map<string, Set<ClientSession>>()
  readonly #places = new Map<ClientSession, Place>()
  readonly #gate = new OrderGate()
  readonly #line: DeliveryLine<ClientSession>
  readonly #alone: boolean
  readonly #roomSizes = new TtlCache<number>({ age: ROOM_SIZE_AGE, size: ROOM_SIZES })
  readonly #channel: NodeChannel<Delivery | Ending>
  /** What is for subscribers, one after the other. */
  #toSubscribers = Promise.resolve()

  constructor({ appId, bus, directory, alone, subscribersAmong, log, onLate }: PresenceOptions) {
    this.#appId = appId
    this.#bus = bus
    this.#directory = directory
    this.#alone = alone
    this.#subscribersAmong = subscribersAmong
    this.#log = log
    this.#line = new DeliveryLine(onLate ? { onLate } : {})
    const heard = (news: Delivery | Ending) => ('end' in news ? this.#endHere(news) : this.#pass(news))
    this.#channel = new NodeChannel({ bus, topic: `messaging ${appId}`, alone, heard, log })
  }

  add(session: ClientSession): void {
    const sessions = this.#sessions.get(session.clientId)
    if (sessions) {
      sessions.add(session)
      return
    }
    this.#sessions.set(session.clientId, new Set([session]))
    this.#directory.online(this.#appId, session.clientId)
  }

  remove(session: ClientSession): void {
    this.leaveRoom(session)
    const sessions = this.#sessions.get(session.clientId)
    if (!sessions?.delete(session) || sessions.size > 0) return
    this.#sessions.delete(session.clientId)
    this.#directory.offline(this.#appId, session.clientId)
  }

  /** All sessions on this node. */
  sessions(): readonly ClientSession[] {
    return [...this.#sessions.values()].flatMap((sessions) => [...sessions])
  }

  /** The sessions of a client on this node. */
  sessionsOf(clientId: string): readonly ClientSession[] {
    return [...(this.#sessions.get(clientId) ?? [])]
  }

  /** A session is in one room at most. One that has ended while it was on its way in enters none: it would never leave. */
  enterRoom(session: ClientSession, roomId: string): void {
    if (this.roomOf(session) === roomId || !this.#sessions.get(session.clientId)?.has(session)) return
    this.leaveRoom(session)
    if (!this.#isInRoom(session.clientId, roomId))
      this.#directory.entered(this.#appId, `room ${roomId}`, session.clientId)
    const room = this.#rooms.get(roomId) ?? new Set()
    room.add(session)
    this.#rooms.set(roomId, room)
    const seat = seatOf(session)
    this.#places.set(session, { roomId, seat })
    if (seat !== null) this.#directory.entered(this.#appId, seat, entryOf(session, roomId))
    this.#directory.setCount(this.#appId, `room ${roomId}`, room.size)
  }

  leaveRoom(session: ClientSession): void {
    const place = this.#places.get(session)
    if (!place) return
    const { roomId, seat } = place
    this.#places.delete(session)
    if (seat !== null) this.#directory.left(this.#appId, seat, entryOf(session, roomId))
    const room = this.#rooms.get(roomId)!
    room.delete(session)
    if (room.size === 0) this.#rooms.delete(roomId)
    if (!this.#isInRoom(session.clientId, roomId)) this.#directory.left(this.#appId, `room ${roomId}`, session.clientId)
    this.#directory.setCount(this.#appId, `room ${roomId}`, room.size)
  }

  roomOf(session: ClientSession): string | null {
    return this.#places.get(session)?.roomId ?? null
  }

  /**
   * The room that the same device is in on another node: one that has died, or has not noticed yet that the device is gone.
   */
  async roomElsewhere(session: ClientSession): Promise<string | null> {
    const seat = seatOf(session)
    const [entry] = seat === null ? [] : await this.#directory.someElsewhere(this.#appId, seat, 1)
    return entry?.split(' ')[0] ?? null
  }

  /** The sessions in a room on this node. */
  inRoom(roomId: string): ReadonlySet<ClientSession> {
    return this.#rooms.get(roomId) ?? NO_SESSIONS
  }

  /** About how many sessions are in a room on all nodes, as it was lately. */
  sizeOfRoom(roomId: string): number {
    const here = this.inRoom(roomId).size
    if (this.#alone) return here
    const known = this.#roomSizes.get(roomId)
    if (known !== undefined) return Math.max(here, known)
    this.#roomSizes.set(roomId, here)
    const note = (everywhere: number) => this.#roomSizes.set(roomId, everywhere)
    this.countInRoom(roomId).then(note, () => {})
    return here
  }

  countInRoom(roomId: string): Promise<number> {
    return this.#directory.sumCount(this.#appId, `room ${roomId}`)
  }

  /** Some of the clients in a room on other nodes, chosen at random: of each node no more than the limit. */
  someInRoomElsewhere(roomId: string, limit: number): Promise<string[]> {
    return this.#directory.someElsewhere(this.#appId, `room ${roomId}`, limit)
  }

  /** Which of these clients are online on any node. */
  online(clientIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#directory.whoIsOnline(this.#appId, clientIds)
  }

  countOnline(): Promise<number> {
    return this.#directory.countOnline(this.#appId)
  }

  /** Clients that are online on any node, behind one in the order of their ids. */
  listOnline(after: string, limit: number): Promise<string[]> {
    return this.#directory.listOnline(this.#appId, after, limit)
  }

  /** There are no other nodes. */
  get isAlone(): boolean {
    return this.#alone
  }

  /**
   * Notifies sessions on all nodes. What is delivered to one session arrives in the order of the calls.
   * @param except the session that knows already
   * @param turn for stored messages: all nodes pass them on in the order of the conversation
   */
  deliver(to: Audience, event: SessionEvent, except: string | null = null, turn: Turn | null = null): void {
    const delivery: Delivery = { to, event, except, turn }
    this.#pass(delivery)
    if (!this.#alone) this.#channel.publish(delivery)
  }

  /** Ends the sessions of a client on all nodes, or those with a tag, except one. */
  endSessions(end: Ending['end'], code: number, reason: string): void {
    const ending: Ending = { end, code, reason }
    this.#endHere(ending)
    this.#channel.publish(ending)
  }

  stop(): void {
    this.#channel.stop()
  }

  #pass(delivery: Delivery): void {
    if ('subscribers' in delivery.to) this.#passToSubscribers(delivery, delivery.to.subscribers)
    else this.#passInTurn(delivery)
  }

  /** They are looked up before it takes its turn, so that what comes after it in the conversation waits. */
  #passToSubscribers(delivery: Delivery, convId: string): void {
    this.#toSubscribers = this.#toSubscribers.then(async () => {
      try {
        this.#passInTurn({ ...delivery, to: { clients: await this.#subscribersHere(convId) } })
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        this.#log.warn({ error: reason }, 'delivering message to subscribers failed')
      }
    })
  }

  async #subscribersHere(convId: string): Promise<string[]> {
    const subscribers: string[] = []
    for (const clientIds of chunks([...this.#sessions.keys()], CHUNK))
      subscribers.push(...(await this.#subscribersAmong(convId, clientIds)))
    return subscribers
  }

  #passInTurn(delivery: Delivery): void {
    const { turn } = delivery
    if (!turn) {
      this.#push(delivery)
      return
    }
    // While other nodes are not heard nothing of theirs arrives, so nothing waits for it.
    const before = this.#bus.connected ? turn.before : 0
    this.#gate.enter(turn.convId, before, turn.ts, () => this.#push(delivery))
  }

  /**
   * A session is in one room at most, so the queues of rooms concern different sessions. All other notifications share a
   * queue: what is delivered to one client arrives in the order of the calls, whatever it is about.
   */
  #push({ to, event, except }: Delivery): void {
    if (!('room' in to)) {
      const receivers = () => this.#sessionsFor(to)
      const notify = (session: ClientSession) => {
        if (session.id !== except) this.#notifySession(session, event)
      }
      this.#line.add({ queue: '', principal: '', length: 0, receivers, notify })
      return
    }
    const { room, without } = to
    this.#line.add({
      queue: room,
      principal: senderAddress(event),
      length: event.kind === 'message' ? event.message.content.length : 0,
      // Sessions that enter the room meanwhile do not get messages from before.
      receivers: () => [...this.inRoom(room)],
      notify: (session) => {
        if (session.id === except || session.clientId === without || this.roomOf(session) !== room) return
        this.#notifySession(session, event)
      },
    })
  }

  /** The sessions at the time when they are notified. */
  *#sessionsFor(to: Exclude<Audience, { readonly room: string }>): Generator<ClientSession> {
    if ('clients' in to) for (const clientId of to.clients) yield* this.#sessions.get(clientId) ?? NO_SESSIONS
    else if ('everyone' in to) for (const sessions of this.#sessions.values()) yield* sessions
    else throw new Error('subscribers have to be looked up first')
  }

  #notifySession(session: ClientSession, event: SessionEvent): void {
    // Clients of version 1 know no unread states (protocol/realtime, Unread notifications and offline messages).
    if (event.kind === 'unread' && session.version === 1) return
    try {
      session.push(event)
    } catch (error) {
      // The others are notified all the same.
      this.#log.error({ error }, 'event delivery to session failed')
    }
  }

  #isInRoom(clientId: string, roomId: string): boolean {
    return this.sessionsOf(clientId).some((session) => this.roomOf(session) === roomId)
  }

  #endHere({ end, code, reason }: Ending): void {
    for (const session of this.sessionsOf(end.clientId)) {
      if (session.id === end.except || (end.tag !== null && session.tag !== end.tag)) continue
      if (end.openedUntil !== undefined && session.openedAt > end.openedUntil) continue
      this.remove(session)
      session.end(code, reason)
    }
  }
}

/** Returns the address that a message was sent from; '' for everything else. */
function senderAddress(event: SessionEvent): string {
  return event.kind === 'message' && event.message.ip !== null ? addressKey(event.message.ip) : ''
}

function seatOf({ clientId, deviceId }: ClientSession): string | null {
  return deviceId === null ? null : `seat ${JSON.stringify([clientId, deviceId])}`
}

/** A device may have two sessions on a node for a while. The id of a room has no space. */
function entryOf({ id }: ClientSession, roomId: string): string {
  return `${roomId} ${id}`
}
