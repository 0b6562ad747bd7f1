import { join } from 'node:path'
import type { Cleanup } from './cleanup.ts'
import { startHomeport, TRIVIAL } from './contestants/homeport.ts'
import { temporaryDirectory } from './postgres.ts'
import { send } from './workload.ts'

const STARTS = 3

/** Milliseconds from the command to the first response, for each start. */
export interface StartFigures {
  readonly empty: number[]
  readonly existing: number[]
}

/** Starts Homeport with its embedded database on new data directories, and again on the same ones. */
export async function measureStarts(root: string, cleanup: Cleanup): Promise<StartFigures> {
  const figures: StartFigures = { empty: [], existing: [] }
  for (let start = 1; start <= STARTS; start++) {
    process.stderr.write(`start: ${start} of ${STARTS}\n`)
    const data = join(await temporaryDirectory(cleanup), 'data')
    figures.empty.push(await startOnce(root, data, cleanup))
    figures.existing.push(await startOnce(root, data, cleanup))
  }
  return figures
}

function startOnce(root: string, data: string, cleanup: Cleanup): Promise<number> {
  return cleanup.within(async (inner) => {
    const began = performance.now()
    const server = await inner.keep(startHomeport(root, data, null), (server) => server.stop())
    await send(server, TRIVIAL)
    return performance.now() - began
  })
}
