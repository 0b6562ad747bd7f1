import type { Encoding } from '../realtime-protocol/codec.ts'

/** The subprotocol of a handshake: the encoding of commands, and the behavior of the server. */
export interface Subprotocol {
  /** As offered; the response repeats it unchanged (protocol/realtime, Subprotocols). */
  readonly name: string
  readonly encoding: Encoding
  /** 3 sends unread counts, 1 sends all unread messages. */
  readonly version: 1 | 3
}

const ENCODINGS: readonly [prefix: string, encoding: Encoding][] = [
  ['lc.protobuf2', 'protobuf'],
  ['lc.proto2base64', 'base64'],
  ['lc.json', 'json'],
]

/**
 * The subprotocols of clients from before 2017. Their schema is a subset of the current one; they skip newer fields. Their
 * version 2 was the first that counts unread messages.
 */
const OLD_ENCODINGS: readonly [prefix: string, encoding: Encoding][] = [
  ['lc.protobuf', 'protobuf'],
  ['lc.protobase64', 'base64'],
]

const BEHAVIOURS = [
  [1, 1],
  [3, 3],
] as const
const OLD_BEHAVIOURS = [...BEHAVIOURS, [2, 3]] as const

const KNOWN = new Map<string, Subprotocol>([
  ...ENCODINGS.flatMap((encoding) => BEHAVIOURS.map((behaviour) => entryOf(encoding, behaviour))),
  ...OLD_ENCODINGS.flatMap((encoding) => OLD_BEHAVIOURS.map((behaviour) => entryOf(encoding, behaviour))),
])

function entryOf(
  [prefix, encoding]: readonly [string, Encoding],
  [number, version]: readonly [number, 1 | 3],
): [string, Subprotocol] {
  const name = `${prefix}.${number}`
  return [name, { name, encoding, version }]
}

/** Returns the first supported subprotocol; undefined for none. */
export function chooseSubprotocol(offered: Iterable<string>): Subprotocol | undefined {
  for (const name of offered) {
    const known = KNOWN.get(name)
    if (known) return known
  }
  return undefined
}

/**
 * Returns the subprotocol of a handshake: the first supported one of its header, else the one that its URL names as
 * `subprotocol`. The platforms of mini-programs once could not send this header, and official clients for them still name it in
 * the URL (leancloud-realtime 3.5 to 4.3 and libraries that include it).
 * @param header `Sec-WebSocket-Protocol`
 * @param url path and query of the request
 */
export function subprotocolOf(header: string | undefined, url: string): Subprotocol | undefined {
  if (header !== undefined) return chooseSubprotocol(header.split(',').map((name) => name.trim()))
  const start = url.indexOf('?')
  return start < 0 ? undefined : chooseSubprotocol(new URLSearchParams(url.slice(start)).getAll('subprotocol'))
}
