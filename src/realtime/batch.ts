import { fill, type SharedCommand, type Template } from '../realtime-protocol/shared-command.ts'

/**
 * Shared commands that one client is to get together. Every batch remembers the one that came of it when another command
 * was added: the connections of a busy room go the same way from batch to batch, and at its end find the frames of the
 * whole batch ready but for their ids.
 */
export class Batch {
  /** What the frames of the batch take, in bytes. */
  readonly size: number
  readonly #idLength: number
  readonly #commands: readonly SharedCommand[]
  #next: Batch | undefined
  #template: Template | undefined

  /** @param idLength the length of the receiver's id , as `lengthOf` gives it */
  constructor(idLength: number, commands: readonly SharedCommand[] = [], size = 0) {
    this.#idLength = idLength
    this.#commands = commands
    this.size = size
  }

  /** The batch that has one command more. */
  with(command: SharedCommand): Batch {
    if (this.#next && this.#next.#commands.at(-1) === command) return this.#next
    const size = this.size + command.templateFor(this.#idLength).bytes.length
    this.#next = new Batch(this.#idLength, [...this.#commands, command], size)
    return this.#next
  }

  /** The frames for one receiver. */
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
