import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { pongFrame } from '../realtime-protocol/frame.ts'
import { Batch, lengthOf, type SharedCommand } from '../realtime-protocol/shared-command.ts'
import type { AmountSemaphore } from '../scheduling/amount-semaphore.ts'

/** The part of what may wait for a client from which on it counts as being behind. */
const BEHIND = 1 / 4

/** What waits this long, in bytes, does not wait for the end of the turn. */
const FULL = 64 * 1024

/** What waits for a client beyond this, in bytes, counts among what waits for all. */
const UNREAD = 64 * 1024

/** Why a connection is ended that is not closed. */
const CUT_OFF = new Error('the connection was cut off')

/**
 * The end of the event loop's turn, when all connections send what came together during it. `setImmediate` ends a turn
 * after all that was there to be read has been read and dealt with; `process.nextTick` would end it after each read.
 */
export class Turn {
  #waiting: Outgoing[] = []
  /** Where the batches of this turn begin, by the length of the receiver's id. */
  #batches = new Map<number, Batch>()

  /** Flushes the connection when the turn ends. */
  add(outgoing: Outgoing): void {
    if (this.#waiting.push(outgoing) === 1) setImmediate(() => this.#end())
  }

  emptyBatch(idLength: number): Batch {
    const known = this.#batches.get(idLength)
    if (known) return known
    const batch = new Batch(idLength)
    this.#batches.set(idLength, batch)
    return batch
  }

  #end(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#batches = new Map()
    for (const outgoing of waiting) outgoing.endTurn()
  }
}

export interface OutgoingOptions {
  readonly turn: Turn
  /** How much may wait for a client that does not read, in bytes, before the connection is cut off. */
  readonly maxWaiting: number
  /** What waits for all connections together. */
  readonly unread: AmountSemaphore
}

/**
 * What goes to one socket. The frames of a turn leave in one write, which is most of what a frame costs. They are written
 * past the WebSocket object, which writes its own (close) whole and at once, so neither ever stands inside the other.
 */
export class Outgoing {
  readonly #websocket: WebSocket
  readonly #socket: Duplex
  readonly #address: string
  readonly #options: OutgoingOptions
  readonly #cutOff: () => void
  /** Frames of this turn, in order; the batch comes behind them. */
  #frames: Buffer[] = []
  #frameBytes = 0
  #batch: Batch | undefined
  /** Whose batch it is. */
  #peerId: string | null = null
  #idLength = lengthOf(null)
  #added = false
  /** The content of the last ping that has not been answered. */
  #ping: Buffer | undefined
  /** As much of what waits as is counted among what waits for all. */
  #counted = 0

  /**
   * @param address of the client
   * @param cutOff called when the connection was cut off because the client does not read
   */
  constructor(websocket: WebSocket, socket: Duplex, address: string, options: OutgoingOptions, cutOff: () => void) {
    this.#websocket = websocket
    this.#socket = socket
    this.#address = address
    this.#options = options
    this.#cutOff = cutOff
    const read = () => void this.#count(0)
    socket.on('drain', read)
    socket.on('close', read)
  }

  /** More than a quarter of what may wait for the client does. */
  get isBehind(): boolean {
    return this.#socket.writableLength > this.#options.maxWaiting * BEHIND
  }

  /** Sends a whole frame at the end of the turn. */
  write(frame: Buffer): void {
    this.#endBatch()
    this.#keep(frame)
    this.#wait()
  }

  /**
   * Answers a ping at the end of the turn, and with it those that came before it in the turn (RFC 6455, 5.5.3): a write for
   * each would let a client that sends nothing else hold up everybody.
   */
  pong(content: Buffer): void {
    this.#ping = content
    this.#wait()
  }

  /**
   * Sends a shared command to one client at the end of the turn, as a binary frame.
   * @param peerId null for who needs no id in it
   */
  writeShared(command: SharedCommand, peerId: string | null): void {
    if (peerId !== this.#peerId) {
      this.#endBatch()
      this.#peerId = peerId
      this.#idLength = lengthOf(peerId)
    }
    this.#batch = (this.#batch ?? this.#options.turn.emptyBatch(this.#idLength)).with(command)
    this.#wait()
  }

  /** Called when the turn ends to which this connection was added. */
  endTurn(): void {
    this.#added = false
    this.flush()
  }

  /** Sends at once what waits for the end of the turn. */
  flush(): void {
    const bytes = this.#take()
    if (!bytes) return
    // Behind a close frame nothing may come.
    if (this.#websocket.readyState !== this.#websocket.OPEN) return
    if (this.#mayWait(this.#socket.writableLength + bytes.length)) this.#socket.write(bytes)
    else this.#endUnread()
  }

  #mayWait(bytes: number): boolean {
    return bytes <= this.#options.maxWaiting && this.#count(bytes > UNREAD ? bytes : 0)
  }

  /** @returns whether so much may wait for this client, considering all others */
  #count(bytes: number): boolean {
    const by = bytes - this.#counted
    if (by > 0 && this.#options.unread.tryAcquire(this.#address, by)) return false
    if (by < 0) this.#options.unread.release(this.#address, -by)
    this.#counted = bytes
    return true
  }

  /** Ends the connection without a word, and what waits with it. */
  end(): void {
    // Without an error of ours Node makes one for each frame that waits, of which there may be tens of thousands.
    this.#socket.destroy(CUT_OFF)
  }

  #endUnread(): void {
    this.#websocket.close(1013, 'the client does not read')
    this.end()
    this.#cutOff()
  }

  /** What waits, which then waits no more. */
  #take(): Buffer | undefined {
    if (this.#ping) {
      this.#endBatch()
      this.#keep(pongFrame(this.#ping))
      this.#ping = undefined
    }
    if (this.#frames.length === 0) {
      // Almost every turn of a chat room brings nothing but messages to all.
      const frames = this.#batch?.framesFor(this.#peerId)
      this.#batch = undefined
      return frames
    }
    this.#endBatch()
    const bytes = this.#frames.length === 1 ? this.#frames[0] : Buffer.concat(this.#frames, this.#frameBytes)
    this.#frames = []
    this.#frameBytes = 0
    return bytes
  }

  #endBatch(): void {
    if (!this.#batch) return
    this.#keep(this.#batch.framesFor(this.#peerId))
    this.#batch = undefined
  }

  #keep(frames: Buffer): void {
    this.#frames.push(frames)
    this.#frameBytes += frames.length
  }

  #wait(): void {
    if (this.#frameBytes + (this.#batch?.size ?? 0) > FULL) this.flush()
    else if (!this.#added) {
      this.#added = true
      this.#options.turn.add(this)
    }
  }
}
