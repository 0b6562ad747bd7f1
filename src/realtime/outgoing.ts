import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { pongFrame } from '../realtime-protocol/frame.ts'
import { Batch, lengthOf, type SharedCommand } from '../realtime-protocol/shared-command.ts'
import type { AmountSemaphore } from '../scheduling/amount-semaphore.ts'

/** The fraction of the maximum waiting bytes from which on a client counts as behind. */
const BACKLOG_SHARE = 1 / 4

/** Frames of this size, in bytes, are sent before the end of the iteration. */
const FULL = 64 * 1024

/** Waiting bytes of a client beyond this size count towards the limit of all clients. */
const UNREAD = 64 * 1024

/** The reason for ending a connection without closing it. */
const CUT_OFF = new Error('the connection was cut off')

/**
 * Flushes all connections at the end of an event-loop iteration with the frames of that iteration. `setImmediate` runs after all
 * available data has been read and processed; `process.nextTick` would run after each read.
 */
export class FlushQueue {
  #waiting: Outgoing[] = []
  /** The starts of the batches of this iteration, by the length of the receiver's id. */
  #batches = new Map<number, Batch>()

  /** Flushes the connection at the end of the iteration. */
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
    for (const outgoing of waiting) outgoing.flushIteration()
  }
}

export interface OutgoingOptions {
  readonly flushQueue: FlushQueue
  /** Maximum number of bytes that wait for a client that does not read; beyond it the connection is cut off. */
  readonly maxWaiting: number
  /** Waiting bytes of all connections together. */
  readonly unread: AmountSemaphore
}

/**
 * Writes to one socket. The frames of an iteration share one write, which is most of the cost of a frame. They bypass the
 * WebSocket object. That writes its own frame (close) whole and at once, so frames of the two are never interleaved.
 */
export class Outgoing {
  readonly #websocket: WebSocket
  readonly #socket: Duplex
  readonly #address: string
  readonly #options: OutgoingOptions
  readonly #cutOff: () => void
  /** Frames of this iteration, in order; the batch follows them. */
  #frames: Buffer[] = []
  #frameBytes = 0
  #batch: Batch | undefined
  /** The receiver of the batch. */
  #peerId: string | null = null
  #idLength = lengthOf(null)
  #added = false
  /** The content of the last unanswered ping. */
  #ping: Buffer | undefined
  /** The part of the waiting bytes that counts towards the limit of all clients. */
  #counted = 0

  /**
   * @param address the address of the client
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

  /** Whether more than a quarter of the maximum is waiting for the client. */
  get hasBacklog(): boolean {
    return this.#socket.writableLength > this.#options.maxWaiting * BACKLOG_SHARE
  }

  /** Sends a complete frame at the end of the iteration. */
  write(frame: Buffer): void {
    this.#endBatch()
    this.#keep(frame)
    this.#wait()
  }

  /**
   * Answers a ping at the end of the iteration, together with earlier pings of that iteration (RFC 6455, 5.5.3): one write for
   * each would let a client that sends only pings slow down all others.
   */
  pong(content: Buffer): void {
    this.#ping = content
    this.#wait()
  }

  /**
   * Sends a shared command to one client at the end of the iteration, as a binary frame.
   * @param peerId null for a client that needs no id in it
   */
  writeShared(command: SharedCommand, peerId: string | null): void {
    if (peerId !== this.#peerId) {
      this.#endBatch()
      this.#peerId = peerId
      this.#idLength = lengthOf(peerId)
    }
    this.#batch = (this.#batch ?? this.#options.flushQueue.emptyBatch(this.#idLength)).with(command)
    this.#wait()
  }

  /** Called at the end of the iteration to which this connection was added. */
  flushIteration(): void {
    this.#added = false
    this.flush()
  }

  /** Sends pending frames immediately. */
  flush(): void {
    const bytes = this.#take()
    if (!bytes) return
    // Nothing may follow a close frame.
    if (this.#websocket.readyState !== this.#websocket.OPEN) return
    if (this.#mayWait(this.#socket.writableLength + bytes.length)) this.#socket.write(bytes)
    else this.#endUnread()
  }

  #mayWait(bytes: number): boolean {
    return bytes <= this.#options.maxWaiting && this.#count(bytes > UNREAD ? bytes : 0)
  }

  /** Counts the waiting bytes. @returns whether they are within the limits of this client and of all clients */
  #count(bytes: number): boolean {
    const by = bytes - this.#counted
    if (by > 0 && this.#options.unread.tryAcquire(this.#address, by)) return false
    if (by < 0) this.#options.unread.release(this.#address, -by)
    this.#counted = bytes
    return true
  }

  /** Destroys the connection without a close frame, with its waiting bytes. */
  end(): void {
    // Without an error of ours Node makes one for each waiting frame, of which there may be tens of thousands.
    this.#socket.destroy(CUT_OFF)
  }

  #endUnread(): void {
    this.#websocket.close(1013, 'the client does not read')
    this.end()
    this.#cutOff()
  }

  /** Removes and returns the pending frames. */
  #take(): Buffer | undefined {
    if (this.#ping) {
      this.#endBatch()
      this.#keep(pongFrame(this.#ping))
      this.#ping = undefined
    }
    if (this.#frames.length === 0) {
      // In most iterations a chat room only has messages to all members.
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
      this.#options.flushQueue.add(this)
    }
  }
}
