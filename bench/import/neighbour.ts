import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cleanup } from '../cleanup.ts'
import type { WireRequest } from '../contestants/contestant.ts'
import { ADMIN_TOKEN } from '../contestants/homeport.ts'
import { LoadGenerator, type LoadResult } from '../load.ts'
import type { MessagingServer } from '../messaging/server.ts'
import { send } from '../workload.ts'
import { beginImport } from './run-import.ts'
import { objectSource } from './source.ts'

const APP = 'neighbour'
const KEY = 'app-key-of-the-neighbour'
const CLASS = 'Neighbour'
const OBJECTS = 20_000
const GROUPS = 1000
/** Queries per second, over so many connections. */
const RATE = 50
const CONNECTIONS = 5

/** Another app on the same server, whose clients query objects by a field. */
export class Neighbour {
  readonly #server: MessagingServer
  readonly #load: LoadGenerator

  private constructor(server: MessagingServer, load: LoadGenerator) {
    this.#server = server
    this.#load = load
  }

  static async open(root: string, server: MessagingServer, folder: string, cleanup: Cleanup): Promise<Neighbour> {
    const response = await fetch(`${server.url}/admin/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ appId: APP, name: APP, appKey: KEY }),
    })
    if (!response.ok) throw new Error(`The app was answered with ${response.status}: ${await response.text()}`)
    const own = join(folder, APP)
    await mkdir(own)
    const source = await objectSource(own, CLASS, OBJECTS, 2)
    await (await beginImport(root, server, APP, source, cleanup)).done
    const load = new LoadGenerator()
    cleanup.add(() => load.stop())
    const neighbour = new Neighbour(server, load)
    // Queries trigger the automatic index of the class.
    for (const request of requests().slice(0, 300)) await send(server, request)
    await neighbour.request(3)
    return neighbour
  }

  /** Sends queries for so many seconds. */
  request(seconds: number): Promise<LoadResult> {
    const { url } = this.#server
    return this.#load.run({
      url,
      requests: requests(),
      connections: CONNECTIONS,
      until: { seconds },
      minBody: 100,
      rate: RATE,
    })
  }
}

function requests(): WireRequest[] {
  return Array.from({ length: GROUPS }, (_, n) => ({
    method: 'GET',
    path: `/1.1/classes/${CLASS}?${new URLSearchParams({ where: JSON.stringify({ group: `group-${n}` }), limit: '10' })}`,
    headers: { 'X-LC-Id': APP, 'X-LC-Key': KEY },
  }))
}
