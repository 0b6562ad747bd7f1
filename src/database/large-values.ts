import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { type Text, TextInPieces } from '../values/text-in-pieces.ts'
import { arrayLiteral, type SqlValue } from './sql.ts'

/** Characters of a value from which on its statement is sent in pieces. Below that, sending takes a millisecond. */
const LARGE = 256 * 1024
/** Characters of a piece, after which other work runs. */
const PIECE = 64 * 1024

/** Returns whether a statement has a large value. */
export function hasLargeValue(values: readonly SqlValue[]): boolean {
  return values.some((value) => value instanceof TextInPieces || (typeof value === 'string' && value.length >= LARGE))
}

/**
 * Runs a statement with large values: in each iteration of the event loop, it encodes and writes one piece. The driver would
 * write and copy 15 MB at once, which takes 40 ms.
 * @throws the database's error
 */
export async function queryInPieces(
  client: pg.ClientBase,
  { name, text, values = [] }: pg.QueryConfig,
): Promise<pg.QueryResult> {
  const bind = await bindMessage(name ?? '', values as SqlValue[])
  return new Promise((resolve, reject) => {
    const query = new QueryInPieces(name === undefined ? { text } : { name, text })
    query.bind = bind
    query.on('end', resolve as never)
    query.on('error', reject)
    client.query(query)
  })
}

/** The methods and state of the driver's connection that sending a statement needs. */
interface SendingConnection {
  readonly stream: NodeJS.WritableStream & { readonly destroyed: boolean; readonly writableNeedDrain: boolean }
  readonly submittedNamedStatements: Record<string, string>
  parse(statement: { text: string; name: string | undefined }): void
  describe(portal: { type: 'P'; name: string }): void
  execute(portal: { portal: string; rows: number }): void
  sync(): void
}

/** A method of the driver that is missing from its types. */
const PARENT = pg.Query.prototype as unknown as { hasBeenParsed(connection: SendingConnection): boolean }

class QueryInPieces extends pg.Query {
  declare readonly text: string
  declare readonly name: string | undefined
  bind: readonly Buffer[] = []

  /** Called by the driver: otherwise it would send the text alone and not call `prepare`. */
  requiresPreparation(): boolean {
    return true
  }

  /** Called by the driver when the statement may be sent. Nothing else is sent until its sync message has been. */
  prepare(connection: SendingConnection): void {
    const { text, name } = this
    if (!PARENT.hasBeenParsed.call(this, connection)) {
      connection.parse({ text, name })
      if (name !== undefined) connection.submittedNamedStatements[name] = text
    }
    void this.#send(connection)
  }

  /** Sends the pieces. If the connection ends meanwhile, the driver fails the statement. */
  async #send(connection: SendingConnection): Promise<void> {
    const { stream } = connection
    for (const piece of this.bind) {
      if (stream.destroyed) return
      stream.write(piece)
      do await nextTurn()
      while (stream.writableNeedDrain && !stream.destroyed)
    }
    this.bind = []
    connection.describe({ type: 'P', name: '' })
    connection.execute({ portal: '', rows: 0 })
    connection.sync()
  }
}

/** Builds the message that binds values to a statement, all of them as text: PostgreSQL's protocol, Bind. */
async function bindMessage(name: string, values: readonly SqlValue[]): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (const value of values) {
    const text = textOf(value)
    const bytes = text === null ? [] : await bytesOf(text)
    pieces.push(int32(text === null ? -1 : lengthOf(bytes)), ...bytes)
  }
  // No formats: all values are texts. One format for all results: text.
  const names = Buffer.from(`\0${name}\0`)
  const before = Buffer.concat([names, int16(0), int16(values.length)])
  const trailer = Buffer.concat([int16(1), int16(0)])
  const length = 4 + before.length + lengthOf(pieces) + trailer.length
  return gathered([Buffer.from('B'), int32(length), before, ...pieces, trailer])
}

function textOf(value: SqlValue): Text | null {
  if (value === null || typeof value === 'string' || value instanceof TextInPieces) return value
  return Array.isArray(value) ? arrayLiteral(value) : String(value)
}

async function bytesOf(text: Text): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (const piece of typeof text === 'string' ? [text] : text.pieces) {
    if (piece.length > PIECE) pieces.push(...(await bytesOfLarge(piece)))
    else pieces.push(Buffer.from(piece))
    if (text !== piece) await nextTurn()
  }
  return pieces
}

async function bytesOfLarge(text: string): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (let start = 0; start < text.length; ) {
    let end = start + PIECE
    // A surrogate pair is not split.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
    pieces.push(Buffer.from(text.slice(start, end)))
    start = end
    await nextTurn()
  }
  return pieces
}

/** Joins small buffers, so that there are few pieces. */
function gathered(pieces: readonly Buffer[]): Buffer[] {
  const result: Buffer[] = []
  let small: Buffer[] = []
  const flush = () => {
    if (small.length > 0) result.push(Buffer.concat(small))
    small = []
  }
  for (const piece of pieces) {
    if (piece.length < PIECE) small.push(piece)
    else {
      flush()
      result.push(piece)
    }
  }
  flush()
  return result
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0)
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
