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

/** The parts of the directory of all nodes that presence uses. */
export type PresenceDirectory = Pick<
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
  | 'someOnOtherNodes'
>

export interface PresenceOptions {
  readonly appId: string
  readonly bus: Bus
  readonly directory: PresenceDirectory
  /** Whether this is the only node. */
  readonly alone: boolean
  /** Returns which of these clients subscribe to a system conversation. */
  readonly subscribersAmong: (convId: string, clientIds: readonly string[]) => Promise<ReadonlySet<string>>
  readonly log: Log
  /** Called when messages to chat rooms from an address have waited too long. */
  readonly onLate?: (address: string) => void
}

/** A client that requests something, and the principal charged for it; the app when omitted. */
export interface RequestingClient {
  readonly clientId: string
  readonly principal?: Principal
}

/** A client that is logged in on a connection of this node. */
export interface ClientSession extends RequestingClient {
  /** Unique across all nodes. */
  readonly id: string
  /** A client has at most one session with the same tag; null for no tag. */
  readonly tag: string | null
  readonly deviceId: string | null
  /** When it began, in milliseconds. */
  readonly openedAt: number
  /** 1: receives the messages that it has missed. 3: receives unread counts. */
  readonly version: 1 | 3
  push(event: SessionEvent): void
  /** Ends the session with a reason that the client is sent. */
  end(code: number, reason: string): void
}

/** The receivers of an event. */
export type Audience =
  | { readonly clients: readonly string[] }
  /** The sessions in a chat room, except those of one client. */
  | { readonly room: string; readonly without?: string }
  /**
   * The subscribers of a system conversation. There may be a million, so each node looks up which of its own clients subscribe.
   */
  | { readonly subscribers: string }
  | { readonly everyone: true }

/** The position of a message in its conversation; see `OrderGate`. */
export interface MessagePosition {
  readonly convId: string
  readonly before: number
  readonly ts: number
}

/** The chat room that a session is in. */
interface SessionRoom {
  readonly roomId: string
  /** The key by which other nodes find the room if the device reconnects to one of them; null without a device id. */
  readonly deviceKey: string | null
}

interface Delivery {
  readonly to: Audience
  readonly event: SessionEvent
  /** The id of a session that is skipped. */
  readonly except: string | null
  readonly turn: MessagePosition | null
}

interface Ending {
  readonly end: {
    readonly clientId: string
    /** null for any tag. */
    readonly tag: string | null
    /** The id of a session that is kept. */
    readonly except: string | null
    /** Sessions that began after this time, in milliseconds, are kept too. */
    readonly openedUntil?: number
  }
  readonly code: number
  readonly reason: string
}

/** How many clients one lookup of subscribers has at most. */
const CHUNK = 1000

/** How long the size of a room is cached, in milliseconds, and for how many rooms. */
const ROOM_SIZE_AGE = 2000
const ROOM_SIZES = 10_000

const NO_SESSIONS: ReadonlySet<ClientSession> = new Set()

/**
 * Tracks the clients of one app that are connected to this node, and delivers events to clients on all nodes. A delivery is
 * published to all nodes, and each passes it to its own clients.
 */
export class Presence {
  readonly #appId: string
  readonly #bus: Bus
  readonly #directory: PresenceDirectory
  readonly #subscribersAmong: PresenceOptions['subscribersAmong']
  readonly #log: Log
  readonly #sessions = new Map<string, Set<ClientSession>>()
  readonly #rooms = new Map<string, Set<ClientSession>>()
  readonly #sessionRooms = new Map<ClientSession, SessionRoom>()
  readonly #gate = new OrderGate()
  readonly #line: DeliveryLine<ClientSession>
  readonly #alone: boolean
  readonly #roomSizes = new TtlCache<number>({ age: ROOM_SIZE_AGE, size: ROOM_SIZES })
  readonly #channel: NodeChannel<Delivery | Ending>
  /** Deliveries to subscribers, in sequence. */
  #toSubscribers = Promise.resolve()

  constructor({ appId, bus, directory, alone, subscribersAmong, log, onLate }: PresenceOptions) {
    this.#appId = appId
    this.#bus = bus
    this.#directory = directory
    this.#alone = alone
    this.#subscribersAmong = subscribersAmong
    this.#log = log
    this.#line = new DeliveryLine(onLate ? { onLate } : {})
    const onMessage = (message: Delivery | Ending) => ('end' in message ? this.#endHere(message) : this.#pass(message))
    this.#channel = new NodeChannel({ bus, topic: `messaging ${appId}`, alone, onMessage, log })
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

  /** The number of clients with a session on this node. */
  get clientsHere(): number {
    return this.#sessions.size
  }

  /** Returns all sessions on this node. */
  sessions(): readonly ClientSession[] {
    return [...this.#sessions.values()].flatMap((sessions) => [...sessions])
  }

  /** Returns the sessions of a client on this node. */
  sessionsOf(clientId: string): readonly ClientSession[] {
    return [...(this.#sessions.get(clientId) ?? [])]
  }

  /**
   * Moves a session into a room; it is in at most one. Skips sessions that have ended meanwhile, because they would never leave.
   */
  enterRoom(session: ClientSession, roomId: string): void {
    if (this.roomOf(session) === roomId || !this.#sessions.get(session.clientId)?.has(session)) return
    this.leaveRoom(session)
    if (!this.#isInRoom(session.clientId, roomId))
      this.#directory.entered(this.#appId, `room ${roomId}`, session.clientId)
    const room = this.#rooms.get(roomId) ?? new Set()
    room.add(session)
    this.#rooms.set(roomId, room)
    const deviceKey = deviceKeyOf(session)
    this.#sessionRooms.set(session, { roomId, deviceKey })
    if (deviceKey !== null) this.#directory.entered(this.#appId, deviceKey, entryOf(session, roomId))
    this.#directory.setCount(this.#appId, `room ${roomId}`, room.size)
  }

  leaveRoom(session: ClientSession): void {
    const current = this.#sessionRooms.get(session)
    if (!current) return
    const { roomId, deviceKey } = current
    this.#sessionRooms.delete(session)
    if (deviceKey !== null) this.#directory.left(this.#appId, deviceKey, entryOf(session, roomId))
    const room = this.#rooms.get(roomId)!
    room.delete(session)
    if (room.size === 0) this.#rooms.delete(roomId)
    if (!this.#isInRoom(session.clientId, roomId)) this.#directory.left(this.#appId, `room ${roomId}`, session.clientId)
    this.#directory.setCount(this.#appId, `room ${roomId}`, room.size)
  }

  roomOf(session: ClientSession): string | null {
    return this.#sessionRooms.get(session)?.roomId ?? null
  }

  /** Returns the room that the same device is in on another node: one that has died, or has not detected the disconnect yet. */
  async roomOnOtherNode(session: ClientSession): Promise<string | null> {
    const deviceKey = deviceKeyOf(session)
    const [entry] = deviceKey === null ? [] : await this.#directory.someOnOtherNodes(this.#appId, deviceKey, 1)
    return entry?.split(' ')[0] ?? null
  }

  /** Returns the sessions in a room on this node. */
  inRoom(roomId: string): ReadonlySet<ClientSession> {
    return this.#rooms.get(roomId) ?? NO_SESSIONS
  }

  /** Returns the approximate number of sessions in a room on all nodes, from the cache. */
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

  /** Returns random clients in a room on other nodes, at most `limit` from each node. */
  someInRoomOnOtherNodes(roomId: string, limit: number): Promise<string[]> {
    return this.#directory.someOnOtherNodes(this.#appId, `room ${roomId}`, limit)
  }

  /** Returns which of these clients are online on any node. */
  online(clientIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#directory.whoIsOnline(this.#appId, clientIds)
  }

  countOnline(): Promise<number> {
    return this.#directory.countOnline(this.#appId)
  }

  /** Returns clients that are online on any node, in the order of their ids, after the id `after`. */
  listOnline(after: string, limit: number): Promise<string[]> {
    return this.#directory.listOnline(this.#appId, after, limit)
  }

  /** Whether this is the only node. */
  get isAlone(): boolean {
    return this.#alone
  }

  /**
   * Notifies sessions on all nodes. Deliveries to one session arrive in the order of the calls.
   * @param except the id of a session that already has the event
   * @param position for stored messages: all nodes deliver them in the order of the conversation
   */
  deliver(
    to: Audience,
    event: SessionEvent,
    except: string | null = null,
    position: MessagePosition | null = null,
  ): void {
    const delivery: Delivery = { to, event, except, turn: position }
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
    else this.#passInSequence(delivery)
  }

  /** Looks up the subscribers before the message takes its position, so that later messages of the conversation wait. */
  #passToSubscribers(delivery: Delivery, convId: string): void {
    this.#toSubscribers = this.#toSubscribers.then(async () => {
      try {
        this.#passInSequence({ ...delivery, to: { clients: await this.#subscribersHere(convId) } })
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

  #passInSequence(delivery: Delivery): void {
    const { turn: position } = delivery
    if (!position) {
      this.#push(delivery)
      return
    }
    // While the bus is disconnected no messages of other nodes arrive, so the message does not wait for them.
    const before = this.#bus.connected ? position.before : 0
    this.#gate.enter(position.convId, before, position.ts, () => this.#push(delivery))
  }

  /**
   * Queues a delivery. A session is in at most one room, so the queues of rooms have different sessions. All other notifications
   * share a queue, so that deliveries to one client arrive in the order of the calls whatever their subject.
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
      // Sessions that enter the room meanwhile do not get earlier messages.
      receivers: () => [...this.inRoom(room)],
      notify: (session) => {
        if (session.id === except || session.clientId === without || this.roomOf(session) !== room) return
        this.#notifySession(session, event)
      },
    })
  }

  /** Yields the sessions at the time of the notification. */
  *#sessionsFor(to: Exclude<Audience, { readonly room: string }>): Generator<ClientSession> {
    if ('clients' in to) for (const clientId of to.clients) yield* this.#sessions.get(clientId) ?? NO_SESSIONS
    else if ('everyone' in to) for (const sessions of this.#sessions.values()) yield* sessions
    else throw new Error('subscribers have to be looked up first')
  }

  #notifySession(session: ClientSession, event: SessionEvent): void {
    // Clients of version 1 do not support unread states (protocol/realtime, Unread notifications and offline messages).
    if (event.kind === 'unread' && session.version === 1) return
    try {
      session.push(event)
    } catch (error) {
      // The other sessions are still notified.
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

/** Returns the address that a message was sent from; '' for all other events. */
function senderAddress(event: SessionEvent): string {
  return event.kind === 'message' && event.message.ip !== null ? addressKey(event.message.ip) : ''
}

function deviceKeyOf({ clientId, deviceId }: ClientSession): string | null {
  return deviceId === null ? null : `seat ${JSON.stringify([clientId, deviceId])}`
}

/** Returns the entry of a session in a room. A device may briefly have two sessions on a node. Ids of rooms have no spaces. */
function entryOf({ id }: ClientSession, roomId: string): string {
  return `${roomId} ${id}`
}
