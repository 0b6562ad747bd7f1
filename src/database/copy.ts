import pg from 'pg'

/** What of a connection of the driver answers when the database asks for the rows. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** In pieces of so many bytes, with so many milliseconds in between: the database works at one for a millisecond or two. */
const PIECE = 64 * 1024
const PAUSE = 2

/**
 * Runs `COPY … FROM STDIN` on a connection.
 * @param statement without values
 * @param rows in the text form of COPY
 * @param inPieces whether others are to have the processor in between
 * @throws what the database says; then none of the rows is there
 */
export function copyInto(
  client: pg.ClientBase,
  statement: string,
  rows: string | Uint8Array,
  inPieces: boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = client.query(new Copy(statement))
    query.content = bytesOf(rows)
    query.piece = inPieces ? PIECE : query.content.length
    query.on('end', () => resolve())
    query.on('error', reject)
  })
}

/** What the driver calls and its types do not know. */
const PARENT = pg.Query.prototype as unknown as { handleError(error: Error, connection: pg.Connection): void }

/** A statement that sends rows where others would only receive some. */
class Copy extends pg.Query {
  content: Buffer = Buffer.alloc(0)
  piece = 0
  #hasFailed = false

  /** Called by the driver when the database waits for the rows. */
  handleCopyInResponse(connection: CopyConnection): void {
    this.#sendFrom(0, connection)
  }

  /** Called by the driver when the database refuses the rows, or is lost: what else there is must not meet a later COPY. */
  handleError(error: Error, connection: pg.Connection): void {
    this.#hasFailed = true
    PARENT.handleError.call(this, error, connection)
  }

  #sendFrom(start: number, connection: CopyConnection): void {
    if (this.#hasFailed) return
    const end = start + this.piece
    connection.sendCopyFromChunk(this.content.subarray(start, end))
    if (end >= this.content.length) connection.endCopyFrom()
    else setTimeout(() => this.#sendFrom(end, connection), PAUSE)
  }
}

function bytesOf(rows: string | Uint8Array): Buffer {
  return typeof rows === 'string' ? Buffer.from(rows) : Buffer.from(rows.buffer, rows.byteOffset, rows.length)
}

/** A value in the text form of COPY. */
export function copyText(text: string | null): string {
  if (text === null) return '\\N'
  if (!/[\\\n\r\t]/.test(text)) return text
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
}
