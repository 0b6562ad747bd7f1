/** The first byte of an unfragmented frame: FIN and the opcode (RFC 6455, 5.2). */
const TEXT = 0x81
const BINARY = 0x82
const PONG = 0x8a

/** Returns a complete, unmasked WebSocket frame: a text frame for a string, else a binary one. */
export function frameOf(payload: Buffer | string): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  const { length } = bytes
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = typeof payload === 'string' ? TEXT : BINARY
  if (start === 2) frame[1] = length
  else if (start === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  bytes.copy(frame, start)
  return frame
}

/** Returns the pong for a ping with this content of at most 125 bytes. */
export function pongFrame(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([PONG, content.length]), content])
}
