import type { Encoding } from '../realtime-protocol/codec.ts'

/** What a client asks for in its handshake: how commands are written, and how the server behaves. */
export interface Subprotocol {
  /** As it was offered; the answer repeats it letter by letter (protocol/realtime, Subprotocols). */
  readonly name: string
  readonly encoding: Encoding
  /** 3 tells of unread messages by counting them, 1 sends them all. */
  readonly version: 1 | 3
}

const ENCODINGS: readonly [prefix: string, encoding: Encoding][] = [
  ['lc.protobuf2', 'protobuf'],
  ['lc.proto2base64', 'base64'],
  ['lc.json', 'json'],
]

/**
 * What clients from before 2017 offer. Their schema is a part of the one that followed it; of what has come since they skip
 * the fields. Their version 2 was the first that counts unread messages.
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

/** The first of the offered subprotocols that we speak; undefined when there is none. */
export function chooseSubprotocol(offered: Iterable<string>): Subprotocol | undefined {
  for (const name of offered) {
    const known = KNOWN.get(name)
    if (known) return known
  }
  return undefined
}

/**
 * The subprotocol of a handshake: the first known one of its header, else the one that its URL names as `subprotocol`.
 * The platforms of mini-programs once could send no such header, and official clients for them still name it in the URL
 * (leancloud-realtime 3.5 to 4.3 and what they are built into).
 * @param header `Sec-WebSocket-Protocol`
 * @param url path and query of the request
 */
export function subprotocolOf(header: string | undefined, url: string): Subprotocol | undefined {
  if (header !== undefined) return chooseSubprotocol(header.split(',').map((name) => name.trim()))
  const start = url.indexOf('?')
  return start < 0 ? undefined : chooseSubprotocol(new URLSearchParams(url.slice(start)).getAll('subprotocol'))
}
