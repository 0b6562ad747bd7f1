import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import { TextDecoder } from 'node:util'

const CR = 0x0d
const LF = 0x0a
const FIRST_BEYOND_ASCII = 0x80
/** A byte that does not occur in UTF-8. */
const INVALID = Buffer.of(0xff)

/**
 * Accepts requests whose URLs contain unescaped UTF-8, because many clients send `?where={"name":"中文"}` unescaped.
 * Node's parser rejects these bytes, and its lenient mode accepts far more than them, so they are escaped before the
 * parser reads them (docs/security.md, Request lines).
 */
export function takeRawUrls(server: Server): void {
  const readers = new WeakMap<Duplex, RequestReader>()
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    // The first listener is Node's, which feeds its parser. Node bypasses listeners until another one is added.
    const [feed] = socket.listeners('data') as ((chunk: Buffer) => void)[]
    if (!feed) return
    const reader = new RequestReader(socket, feed)
    readers.set(socket, reader)
    socket.removeListener('data', feed)
    socket.on('data', reader.take)
  })
  const begin = (request: IncomingMessage) => readers.get(request.socket)?.begin(request)
  server.prependListener('request', begin)
  server.prependListener('checkExpectation', begin)
  server.prependListener('upgrade', (_request, socket) => readers.get(socket)?.end())
  server.prependListener('clientError', (_error, socket) => readers.get(socket)?.refuse())
}

/** The next part of a connection; after unexpected input `anything`, which is never escaped. */
type Next = 'request' | 'rest of line' | 'headers' | 'body' | 'chunks' | 'anything'

/**
 * Feeds the parser the bytes of a connection in pieces, and escapes bytes beyond ASCII in request lines. A piece ends
 * at the end of a request line, of headers or of a body, and the next bytes count as a request line only if the parser
 * has reported the same end. So nothing is treated as a request line that the parser does not treat as one.
 */
class RequestReader {
  readonly #socket: Socket
  readonly #feed: (chunk: Buffer) => void
  #next: Next = 'request'
  /** The request whose headers the parser has reported. */
  #request: IncomingMessage | null = null
  /** Bytes of its body that have not arrived. */
  #left = 0
  /** Bytes since the last LF, and the last of these bytes. */
  #lineLength = 0
  #lastByte = 0
  /** Whether the latest piece is complete. */
  #isComplete = false
  /** Bytes after the piece that is being fed. */
  #rest: Buffer = Buffer.alloc(0)
  /** Validates a request line with bytes beyond ASCII. */
  #utf8: TextDecoder | null = null
  #isRefused = false
  #hasEnded = false

  constructor(socket: Socket, feed: (chunk: Buffer) => void) {
    this.#socket = socket
    this.#feed = feed
  }

  begin(request: IncomingMessage): void {
    this.#request = request
  }

  /** Returns the connection, which switches to another protocol, with the bytes after the request. */
  end(): void {
    this.#hasEnded = true
    this.#socket.removeListener('data', this.take)
    if (this.#rest.length > 0) this.#socket.unshift(this.#rest)
  }

  /** Stops feeding, because the parser has reported an error. */
  refuse(): void {
    this.#isRefused = true
  }

  readonly take = (chunk: Buffer): void => {
    if (this.#isRefused) return
    const socket = this.#socket
    let start = 0
    while (start < chunk.length) {
      // Puts the rest back if the connection was paused; it is read when the connection resumes.
      if (start > 0 && socket.isPaused()) return void socket.unshift(chunk.subarray(start))
      const end = this.#cut(chunk, start)
      const piece = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end)
      this.#rest = chunk.subarray(end)
      this.#feed(this.#next === 'rest of line' ? this.#escaped(piece) : piece)
      if (this.#hasEnded || this.#isRefused || socket.destroyed) return
      if (this.#isComplete) this.#proceed()
      start = end
    }
  }

  /** @returns where the next piece ends */
  #cut(chunk: Buffer, start: number): number {
    this.#isComplete = true
    switch (this.#next) {
      case 'request': {
        // Empty lines before a request are skipped.
        if (isLineBreak(chunk[start]!)) {
          this.#isComplete = false
          return endOfLineBreaks(chunk, start)
        }
        this.#next = 'rest of line'
        return this.#cut(chunk, start)
      }
      case 'rest of line': {
        const end = chunk.indexOf(LF, start)
        this.#isComplete = end >= 0
        return this.#isComplete ? end + 1 : chunk.length
      }
      case 'headers':
      case 'chunks':
        return this.#endOfBlock(chunk, start)
      case 'body': {
        const end = Math.min(start + this.#left, chunk.length)
        this.#left -= end - start
        this.#isComplete = this.#left === 0
        return end
      }
      case 'anything':
        return chunk.length
    }
  }

  /** Returns the position after the next empty line. Empty lines within the data of chunks only cause additional pieces. */
  #endOfBlock(chunk: Buffer, start: number): number {
    for (let lineStart = start; ; ) {
      const lineEnd = chunk.indexOf(LF, lineStart)
      if (lineEnd < 0) {
        this.#isComplete = false
        this.#lineLength += chunk.length - lineStart
        this.#lastByte = chunk[chunk.length - 1]!
        return chunk.length
      }
      const length = this.#lineLength + lineEnd - lineStart
      const last = lineEnd > lineStart ? chunk[lineEnd - 1] : this.#lastByte
      this.#lineLength = 0
      lineStart = lineEnd + 1
      if (length === 0 || (length === 1 && last === CR)) return lineStart
    }
  }

  /** Proceeds to the part after a complete piece, if the parser has reported the same end. */
  #proceed(): void {
    switch (this.#next) {
      case 'rest of line':
        this.#request = null
        this.#lineLength = 0
        this.#next = 'headers'
        return
      case 'headers':
        this.#next = this.#request === null ? 'anything' : this.#startBody(this.#request)
        return
      case 'body':
        this.#next = this.#request?.complete ? 'request' : 'anything'
        return
      case 'chunks':
        if (this.#request?.complete) this.#next = 'request'
    }
  }

  #startBody({ complete, headers }: IncomingMessage): Next {
    if (complete) return 'request'
    this.#lineLength = 0
    if (headers['transfer-encoding'] !== undefined) return 'chunks'
    this.#left = Number(headers['content-length'])
    return this.#left > 0 ? 'body' : 'anything'
  }

  /** Returns a piece of a request line, escaped. For invalid UTF-8, keeps or inserts a byte that the parser rejects. */
  #escaped(piece: Buffer): Buffer {
    if (!this.#utf8 && !isBeyondAscii(piece)) return piece
    this.#utf8 ??= new TextDecoder('utf-8', { fatal: true })
    try {
      this.#utf8.decode(piece, { stream: !this.#isComplete })
    } catch {
      return isBeyondAscii(piece) ? piece : Buffer.concat([INVALID, piece])
    }
    if (this.#isComplete) this.#utf8 = null
    return Buffer.from(piece.toString('latin1').replace(/[\x80-\xff]/g, percentEncoded), 'latin1')
  }
}

function isLineBreak(byte: number | undefined): boolean {
  return byte === CR || byte === LF
}

function endOfLineBreaks(chunk: Buffer, start: number): number {
  let end = start
  while (isLineBreak(chunk[end])) end++
  return end
}

function isBeyondAscii(bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index]! >= FIRST_BEYOND_ASCII) return true
  }
  return false
}

/** @param character that represents a byte */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
