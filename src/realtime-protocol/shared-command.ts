import protobuf from 'protobufjs/minimal.js'
import { encode } from './codec.ts'
import { frameOf } from './frame.ts'
import { GenericCommand } from './schema.ts'

/** One or more frames in which only the bytes of their receiver's id are missing: they belong at the offsets. */
export interface Template {
  readonly bytes: Buffer
  readonly offsets: readonly number[]
}

/** Stands for the length of the id where the receiver needs none in a command. */
const NO_ID = -1

/**
 * A command that goes to many clients and differs only in `peerId`. It is encoded once; the id stands at the end, for
 * the fields of a command may come in any order.
 */
export class SharedCommand {
  readonly #command: GenericCommand
  #encoded: Buffer | undefined
  /** By the length of the id in bytes, on which the lengths in the frame depend. */
  readonly #templates = new Map<number, Template>()

  constructor(command: Omit<GenericCommand, 'peerId'>) {
    this.#command = command
  }

  /** The command as one client gets it, for connections that do not take it as binary. */
  commandFor(peerId: string | null): GenericCommand {
    return peerId === null ? this.#command : { ...this.#command, peerId }
  }

  /** The binary frame for one client. */
  frameFor(peerId: string | null): Buffer {
    return fill(this.templateFor(lengthOf(peerId)), peerId)
  }

  /** @param idLength the length of the receiver's id, as `lengthOf` gives it */
  templateFor(idLength: number): Template {
    const known = this.#templates.get(idLength)
    if (known) return known
    this.#encoded ??= encode(this.#command, 'protobuf')
    const template = idLength === NO_ID ? whole(this.#encoded) : withRoomForId(this.#encoded, idLength)
    this.#templates.set(idLength, template)
    return template
  }
}

const PEER_ID_TAG = (GenericCommand.declared.peerId[0] << 3) | 2

function whole(command: Buffer): Template {
  return { bytes: frameOf(command), offsets: [] }
}

function withRoomForId(command: Buffer, idLength: number): Template {
  const bytes = frameOf(Buffer.concat([command, startOfId(idLength), Buffer.alloc(idLength)]))
  return { bytes, offsets: [bytes.length - idLength] }
}

/** What stands before the bytes of an id: the field's tag, and their number. */
function startOfId(idLength: number): Buffer {
  return protobuf.Writer.create().uint32(PEER_ID_TAG).uint32(idLength).finish() as Buffer
}

/** The length of an id in bytes; something else where none is needed. */
export function lengthOf(peerId: string | null): number {
  return peerId === null ? NO_ID : Buffer.byteLength(peerId)
}

/**
 * The frames of a template for one receiver, whose id must have the length that the template was made for. Those without
 * ids are the same for all.
 */
function fill({ bytes, offsets }: Template, peerId: string | null): Buffer {
  if (peerId === null) return bytes
  const frames = Buffer.allocUnsafe(bytes.length)
  bytes.copy(frames)
  for (const offset of offsets) frames.write(peerId, offset)
  return frames
}

/**
 * Shared commands that one client is sent together. Each batch keeps the batch that one more command made of it: the
 * connections of a busy room add the same commands, and find the frames of the whole batch ready but for their ids.
 */
export class Batch {
  /** Bytes of its frames. */
  readonly size: number
  readonly #idLength: number
  readonly #commands: readonly SharedCommand[]
  #next: Batch | undefined
  #template: Template | undefined

  /** @param idLength the length of the receiver's id, as `lengthOf` gives it */
  constructor(idLength: number, commands: readonly SharedCommand[] = [], size = 0) {
    this.#idLength = idLength
    this.#commands = commands
    this.size = size
  }

  /** Returns the batch that has one command more. */
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
