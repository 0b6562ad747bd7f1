import { readFlat, writeFlat } from './flat-json.ts'
import { readMessage, writeMessage } from './protobuf.ts'
import { GenericCommand } from './schema.ts'

/** The encodings of commands in frames (protocol/realtime, Subprotocols). */
export type Encoding = 'protobuf' | 'base64' | 'json'

/** A frame that is not a valid command. The message names fields, but never their values. */
export class UnparseableFrame extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnparseableFrame'
  }
}

/**
 * Decodes a command. Absent fields are not members of the result; fields that are present may be false, zero or empty.
 * @param frame the content of a binary frame, or of a text frame as a string
 * @example
 * decode(Buffer.from('080e2801', 'hex'), 'protobuf') // { cmd: 'echo', i: 1 }
 * @throws UnparseableFrame
 */
export function decode(frame: Buffer | string, encoding: Encoding): GenericCommand {
  if ((typeof frame === 'string') === (encoding === 'protobuf')) throw new UnparseableFrame('the wrong kind of frame')
  try {
    const command = typeof frame !== 'string' ? readMessage(GenericCommand, frame) : readText(frame, encoding)
    return command as GenericCommand
  } catch (error) {
    throw new UnparseableFrame(error instanceof Error ? error.message : 'no command', error)
  }
}

function readText(text: string, encoding: Encoding): object {
  return encoding === 'json' ? readFlat(text) : readMessage(GenericCommand, bytesFrom(text))
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function bytesFrom(text: string): Buffer {
  if (!BASE64.test(text)) throw new Error('the text must be base64')
  return Buffer.from(text, 'base64')
}

/**
 * Encodes a command as the content of a binary frame, or of a text frame as a string. Undefined members are omitted.
 * @example
 * encode({ cmd: 'echo', i: 1 }, 'json') // '{"cmd":"echo","i":1}'
 * @throws Error when the command does not match the schema, which is an internal error
 */
export function encode(command: GenericCommand, encoding: 'protobuf'): Buffer
export function encode(command: GenericCommand, encoding: Encoding): Buffer | string
export function encode(command: GenericCommand, encoding: Encoding): Buffer | string {
  switch (encoding) {
    case 'protobuf':
      return writeMessage(GenericCommand, command)
    case 'base64':
      return writeMessage(GenericCommand, command).toString('base64')
    case 'json':
      return writeFlat(command)
  }
}
