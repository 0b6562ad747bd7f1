import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MemoryFigures, watchMemory } from '../push/usage.ts'
import type { Homeport } from './contestants/homeport.ts'
import { withConnections } from './http-connection.ts'

/** Bytes of the large file, and of a smaller one transferred first to warm up all code. */
const LARGE = 1_000_000_000
const SMALLER = 64_000_000

/** The number of clients that stop reading, the bytes they read before, and the duration in milliseconds. */
const STALLED = 50
const STALLED_AFTER = 1_000_000
const STALLED_FOR = 3000

/** Resident memory of the server during an operation, in bytes. */
export interface MemoryFigure {
  readonly name: string
  readonly memory: MemoryFigures
  readonly load: number
}

/** Measures the server's memory while a large file is uploaded, downloaded, and requested by clients that stop reading. */
export async function measureMemory(homeport: Homeport): Promise<MemoryFigure[]> {
  const figures: MemoryFigure[] = []
  const watch = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    process.stderr.write(`memory: ${name}\n`)
    const load = loadavg()[0]!
    const memory = watchMemory(homeport.pid)
    const result = await work()
    figures.push({ name, memory: memory(), load })
    return result
  }
  const bytes = Buffer.alloc(LARGE, 'What is in it does not matter. ')
  await withConnections(homeport.url, 1, async ([connection]) => {
    const request = (path: string) => connection!.request({ method: 'GET', path })
    for (let repeated = 0; repeated < 4; repeated++)
      await request(await homeport.upload(connection!, 'smaller.bin', bytes.subarray(0, SMALLER)))
    const path = await watch('upload of 1 GB', () => homeport.upload(connection!, 'large.bin', bytes))
    await watch('download of 1 GB', () => request(path))
    await watch(`${STALLED} clients that stop reading`, () => stall(homeport.url, path))
  })
  return figures
}

function stall(url: string, path: string): Promise<void> {
  return withConnections(url, STALLED, async (connections) => {
    await Promise.all(connections.map((connection) => connection.requestAndStall(path, STALLED_AFTER)))
    await sleep(STALLED_FOR)
  })
}
