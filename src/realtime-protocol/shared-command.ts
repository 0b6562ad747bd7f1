import protobuf from 'protobufjs/minimal.js'
import { encode } from './codec.ts'
import { frameOf } from './frame.ts'
import { GenericCommand } from './schema.ts'

/** One or more frames without the id of their receiver, which is inserted at the offsets. */
export interface Template {
  readonly bytes: Buffer
  readonly offsets: readonly number[]
}

/** The id length of receivers that need no id. */
const NO_ID = -1

/**
 * A command that is sent to many clients and differs only in `peerId`. It is encoded once; the id is appended, because the fields
 * of a command may have any order.
 */
export class SharedCommand {
  readonly #command: GenericCommand
  #encoded: Buffer | undefined
  /** By the length of the id in bytes, which the lengths in the frame depend on. */
  readonly #templates = new Map<number, Template>()

  constructor(command: Omit<GenericCommand, 'peerId'>) {
    this.#command = command
  }

  /** Returns the command for one client, for connections that do not use binary frames. */
  commandFor(peerId: string | null): GenericCommand {
    return peerId === null ? this.#command : { ...this.#command, peerId }
  }

  /** Returns the binary frame for one client. */
  frameFor(peerId: string | null): Buffer {
    return fill(this.templateFor(lengthOf(peerId)), peerId)
  }

  /** @param idLength the length of the receiver's id, as returned by `lengthOf` */
  templateFor(idLength: number): Template {
    const known = this.#templates.get(idLength)
    if (known) return known
    this.#encoded ??= encode(this.#command, 'protobuf')
    const template = idLength === NO_ID ? withoutId(this.#encoded) : withRoomForId(this.#encoded, idLength)
    this.#templates.set(idLength, template)
    return template
  }
}

const PEER_ID_TAG = (GenericCommand.declared.peerId[0] << 3) | 2

function withoutId(command: Buffer): Template {
  return { bytes: frameOf(command), offsets: [] }
}

function withRoomForId(command: Buffer, idLength: number): Template {
  const bytes = frameOf(Buffer.concat([command, startOfId(idLength), Buffer.alloc(idLength)]))
  return { bytes, offsets: [bytes.length - idLength] }
}

/** Returns the bytes that precede an id: the tag of the field, and its length. */
function startOfId(idLength: number): Buffer {
  return protobuf.Writer.create().uint32(PEER_ID_TAG).uint32(idLength).finish() as Buffer
}

/** Returns the length of an id in bytes; -1 for none. */
export function lengthOf(peerId: string | null): number {
  return peerId === null ? NO_ID : Buffer.byteLength(peerId)
}

/**
 * Returns the frames of a template for one receiver, whose id must have the length of the template. Frames without ids are shared
 * by all receivers.
 */
function fill({ bytes, offsets }: Template, peerId: string | null): Buffer {
  if (peerId === null) return bytes
  const frames = Buffer.allocUnsafe(bytes.length)
  bytes.copy(frames)
  for (const offset of offsets) frames.write(peerId, offset)
  return frames
}

/**
 * Shared commands that one client is sent together. Each batch caches the batch that follows from one more command: the
 * connections of a busy room add the same commands, and find the frames of the whole batch ready except for their ids.
 */
export class Batch {
  /** The size of its frames in bytes. */
  readonly size: number
  readonly #idLength: number
  readonly #commands: readonly SharedCommand[]
  #next: Batch | undefined
  #template: Template | undefined

  /** @param idLength the length of the receiver's id, as returned by `lengthOf` */
  constructor(idLength: number, commands: readonly SharedCommand[] = [], size = 0) {
    this.#idLength = idLength
    this.#commands = commands
    this.size = size
  }

  /** Returns the batch with one more command. */
  with(command: SharedCommand): Batch {
    if (this.#next && this.#next.#commands.at(-1) === command) return this.#next
    const size = this.size + command.templateFor(this.#idLength).bytes.length
    this.#next = new Batch(this.#idLength, [...this.#commands, command], size)
    return this.#next
  }

  /** Returns the frames for one receiver. */
  framesFor(peerId: string | null): Buffer {
    this.#template ??= join(this.#commands.map((command) => command.templateFor(this.#idLength)))
    return fill(this.#template, peerId)
  }
}

function join(templates: readonly Template[]): Template {
  if (templates.length === 1) return templates[0]!
  let start = 0
  const offsets: number[] = []
  for (const template of templates) {
    for (const offset of template.offsets) offsets.push(start + offset)
    start += template.bytes.length
  }
  return { bytes: Buffer.concat(templates.map(({ bytes }) => bytes)), offsets }
}
