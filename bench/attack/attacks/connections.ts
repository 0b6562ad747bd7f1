import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { type Attacker, rawRequest } from '../attacker.ts'
import { clientHeaders } from '../target.ts'

/** The path of a file that an attack downloads. */
let file = ''

/** Attacks on connections before and after a request. */
export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    name: 'slow-headers',
    what: '4 000 connections that send a header line now and then, and never the end',
    run: async (attacker) => {
      const sockets = await openMany(attacker, 4000)
      for (const socket of sockets) socket.write('GET /1.1/date HTTP/1.1\r\nHost: x\r\n')
      while (!attacker.stopped) {
        for (const socket of sockets) if (!socket.destroyed) socket.write('X-Slow: 1\r\n')
        await sleep(1000)
      }
      for (const socket of sockets) socket.destroy()
    },
  },
  {
    name: 'silent-sockets',
    what: '10 000 connections that say nothing, opened again when they are closed',
    run: async (attacker) => {
      const sockets = new Set<ReturnType<Attacker['socket']>>()
      while (!attacker.stopped) {
        for (let n = 0; n < 200 && sockets.size < 10_000; n++) {
          const socket = attacker.socket()
          sockets.add(socket)
          socket.on('close', () => sockets.delete(socket))
        }
        await sleep(50)
      }
    },
  },
  {
    name: 'unread-answers',
    what: 'answers of almost 6 MB that are asked for over 300 connections and never read',
    prepare: (attacker) => makeLarge(attacker),
    run: async (attacker) => {
      const request = rawRequest('GET', '/1.1/classes/Large?limit=1000', clientHeaders(attacker.target))
      const sockets = await openMany(attacker, 300)
      for (const socket of sockets) {
        socket.pause()
        // Some send many requests before the first response.
        socket.write(request.repeat(20))
      }
      await attacker.untilStopped()
      for (const socket of sockets) socket.destroy()
    },
  },
  {
    name: 'aborted-requests',
    what: 'dear queries whose connection is closed at once',
    run: (attacker) => {
      const where = JSON.stringify({ text: { $regex: 'a.*b.*c.*d.*never' } })
      const path = `/1.1/classes/Crowd?${new URLSearchParams({ where })}`
      const request = rawRequest('GET', path, clientHeaders(attacker.target))
      return attacker.flood(50, async () => {
        const socket = attacker.socket()
        socket.write(request)
        await sleep(20)
        socket.resetAndDestroy()
        attacker.count('aborted')
      })
    },
  },
  {
    name: 'abandoned-answers',
    what: 'many large answers, downloads and bodies that follow each other on connections which are then reset',
    prepare: async (attacker) => {
      await makeLarge(attacker)
      const headers = { 'Content-Type': 'application/octet-stream' }
      const body = Buffer.alloc(4 * 1024 * 1024)
      const { url } = await attacker.request({ path: '/1.1/files/abandoned.bin', body, headers })
      file = new URL(String(url)).pathname
    },
    run: (attacker) => {
      const headers = clientHeaders(attacker.target)
      const body = `{"text":"${'x'.repeat(1024 * 1024)}"}`
      const create = rawRequest('POST', '/1.1/classes/Abandoned', headers, body)
      const read = rawRequest('GET', '/1.1/classes/Large?limit=1000', headers)
      const download = rawRequest('GET', file, headers)
      const all = read.repeat(4) + download.repeat(8) + create.repeat(2)
      return attacker.flood(8, async () => {
        const socket = attacker.socket()
        socket.pause()
        socket.write(all)
        await sleep(200)
        socket.resetAndDestroy()
        attacker.count('abandoned')
      })
    },
  },
]

/** Creates 14 objects of 400 KB, so that a query of all is truncated at 6 MB. */
export async function makeLarge(attacker: Attacker): Promise<void> {
  const text = 'large '.repeat(68_000)
  for (let n = 0; n < 14; n++) await attacker.request({ path: '/1.1/classes/Large', body: { n, text } })
}

async function openMany(attacker: Attacker, count: number) {
  const sockets: ReturnType<Attacker['socket']>[] = []
  while (sockets.length < count && !attacker.stopped) {
    for (let n = 0; n < 100 && sockets.length < count; n++) sockets.push(attacker.socket())
    await sleep(10)
  }
  return sockets
}
