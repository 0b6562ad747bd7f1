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
export function fill({ bytes, offsets }: Template, peerId: string | null): Buffer {
  if (peerId === null) return bytes
  const frames = Buffer.allocUnsafe(bytes.length)
  bytes.copy(frames)
  for (const offset of offsets) frames.write(peerId, offset)
  return frames
}
