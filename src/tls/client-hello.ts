/** The protocol by which a certificate authority validates a host name over TLS (RFC 8737). */
export const ACME_TLS = 'acme-tls/1'

/** Content type of a TLS record with handshake messages, and type of a ClientHello message. */
const HANDSHAKE = 22
const CLIENT_HELLO = 1
/** Types of extensions. */
const SERVER_NAME = 0
const ALPN = 16
const HOST_NAME = 0
/** Maximum bytes of a ClientHello that is read; those of real clients have about 2000. */
const MAX_BYTES = 16 * 1024

export interface ClientHello {
  /** Host name that the client expects, in lower case; null for none. */
  readonly serverName: string | null
  /** Application protocols that the client offers. */
  readonly protocols: readonly string[]
}

/** Thrown by `Reader` beyond the end of the bytes. */
class OutOfBytes extends Error {}

/** Reads big-endian numbers and vectors of TLS from bytes. */
class Reader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length
  }

  number(bytes: number): number {
    return this.take(bytes).readUIntBE(0, bytes)
  }

  /** Reads a vector with its length before it. @param lengthBytes bytes of the length */
  vector(lengthBytes: number): Buffer {
    return this.take(this.number(lengthBytes))
  }

  take(length: number): Buffer {
    const end = this.#position + length
    if (end > this.#bytes.length) throw new OutOfBytes()
    const taken = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return taken
  }
}

/**
 * Parses the first message of a TLS client (RFC 8446, 4.1.2), which may be split into several records.
 * @param bytes all bytes that the client has sent so far
 * @returns 'incomplete' when more bytes are needed; null when it is not a ClientHello
 */
export function parseClientHello(bytes: Buffer): ClientHello | 'incomplete' | null {
  if (bytes.length > 0 && bytes[0] !== HANDSHAKE) return null
  const message = handshakeBytes(bytes)
  if (message === null) return null
  try {
    const reader = new Reader(message)
    if (reader.number(1) !== CLIENT_HELLO) return null
    return parseMessage(reader.vector(3))
  } catch (error) {
    if (!(error instanceof OutOfBytes)) throw error
    return bytes.length < MAX_BYTES ? 'incomplete' : null
  }
}

/** Joins the content of handshake records, also of the last incomplete one; null when there is another kind of record. */
function handshakeBytes(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = []
  for (let start = 0; start + 5 <= bytes.length; ) {
    if (bytes[start] !== HANDSHAKE) return parts.length === 0 ? null : Buffer.concat(parts)
    const end = start + 5 + bytes.readUInt16BE(start + 3)
    parts.push(bytes.subarray(start + 5, end))
    start = end
  }
  return Buffer.concat(parts)
}

/** @returns null for a malformed message, which the TLS library then rejects */
function parseMessage(message: Buffer): ClientHello | null {
  try {
    const reader = new Reader(message)
    // Version, random, session id, cipher suites and compression methods.
    reader.take(2 + 32)
    reader.vector(1)
    reader.vector(2)
    reader.vector(1)
    const hello = { serverName: null as string | null, protocols: [] as string[] }
    if (reader.isAtEnd) return hello
    for (const extensions = new Reader(reader.vector(2)); !extensions.isAtEnd; ) {
      const type = extensions.number(2)
      const content = extensions.vector(2)
      if (type === SERVER_NAME) hello.serverName = parseServerName(content)
      else if (type === ALPN) hello.protocols = parseProtocols(content)
    }
    return hello
  } catch (error) {
    if (error instanceof OutOfBytes) return null
    throw error
  }
}

function parseServerName(content: Buffer): string | null {
  for (const names = new Reader(new Reader(content).vector(2)); !names.isAtEnd; ) {
    const type = names.number(1)
    const name = names.vector(2)
    if (type === HOST_NAME) return name.toString('latin1').toLowerCase()
  }
  return null
}

function parseProtocols(content: Buffer): string[] {
  const protocols: string[] = []
  for (const list = new Reader(new Reader(content).vector(2)); !list.isAtEnd; )
    protocols.push(list.vector(1).toString('latin1'))
  return protocols
}
