import pg from 'pg'

/** What of a connection of the driver answers when the database asks for the rows. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/**
 * Runs `COPY … FROM STDIN` on a connection.
 * @param statement without values
 * @param rows in the text form of COPY
 * @throws what the database says; then none of the rows is there
 */
export function copyInto(client: pg.ClientBase, statement: string, rows: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = client.query(new Copy(statement))
    query.content = rows
    query.on('end', () => resolve())
    query.on('error', reject)
  })
}

/** A statement that sends rows where others would only receive some. */
class Copy extends pg.Query {
  content: string | Uint8Array = ''

  /** Called by the driver when the database waits for the rows. */
  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(bytesOf(this.content))
    connection.endCopyFrom()
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
