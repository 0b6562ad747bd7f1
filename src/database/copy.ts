import pg from 'pg'

/** The part of the driver's connection that sends the rows of a COPY. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Bytes of a piece, and milliseconds between two: the database processes a piece in one to two milliseconds. */
const PIECE = 64 * 1024
const PAUSE = 2

/**
 * Runs `COPY … FROM STDIN` on a connection.
 * @param statement without parameters
 * @param rows in the text format of COPY
 * @param inPieces whether to pause between pieces, so that other work gets the processor
 * @throws the database's error; then no rows are stored
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

/** A method of the driver that is missing from its types. */
const PARENT = pg.Query.prototype as unknown as { handleError(error: Error, connection: pg.Connection): void }

/** A statement that sends rows to the database. */
class Copy extends pg.Query {
  content: Buffer = Buffer.alloc(0)
  piece = 0
  #hasFailed = false

  /** Called by the driver when the database is ready for the rows. */
  handleCopyInResponse(connection: CopyConnection): void {
    this.#sendFrom(0, connection)
  }

  /**
   * Called by the driver when the database refuses the rows or the connection is lost: the remaining pieces must not reach a
   * later COPY.
   */
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

/** Returns a value in the text format of COPY. */
export function copyText(text: string | null): string {
  if (text === null) return '\\N'
  if (!/[\\\n\r\t]/.test(text)) return text
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
}
