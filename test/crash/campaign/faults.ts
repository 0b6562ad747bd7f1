import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../support/program.ts'
import type { Installation, Shape } from './installation.ts'
import type { Random } from './random.ts'

/** The target of a fault. */
interface Victim {
  readonly installation: Installation
  readonly random: Random
  /** Reports an intentional pause, in milliseconds. */
  held(milliseconds: number): void
}

export interface Fault {
  readonly name: string
  /** The shapes the fault applies to. */
  readonly shapes: readonly Shape[]
  /**
   * Causes the fault, and repairs what does not recover automatically.
   * @returns a violation, or null
   */
  strike(victim: Victim): Promise<string | null>
}

const EVERYWHERE: readonly Shape[] = ['embedded', 'two nodes', 'two nodes with Redis']
const WITH_REDIS: readonly Shape[] = ['two nodes with Redis']

export const FAULTS: readonly Fault[] = [
  { name: 'kill -9 of a server', shapes: EVERYWHERE, strike: (victim) => restartNode(victim, killNode) },
  { name: 'SIGTERM to a server', shapes: EVERYWHERE, strike: (victim) => restartNode(victim, stopNode) },
  { name: 'kill -9 of a server and the database', shapes: EVERYWHERE, strike: killBoth },
  { name: 'a server stands still', shapes: EVERYWHERE, strike: freezeNode },
  { name: 'kill -9 of the database', shapes: EVERYWHERE, strike: (victim) => signalDatabase(victim, 'SIGKILL') },
  { name: 'fast restart of the database', shapes: EVERYWHERE, strike: (victim) => signalDatabase(victim, 'SIGINT') },
  {
    name: 'immediate restart of the database',
    shapes: EVERYWHERE,
    strike: (victim) => signalDatabase(victim, 'SIGQUIT'),
  },
  { name: 'kill -9 of a connection of the database', shapes: EVERYWHERE, strike: killBackend },
  { name: 'kill -9 of Redis', shapes: WITH_REDIS, strike: killRedis },
  { name: 'Redis stands still', shapes: WITH_REDIS, strike: freezeRedis },
]

async function restartNode(
  { installation, random }: Victim,
  end: (node: Program) => Promise<string | null>,
): Promise<string | null> {
  const number = random.between(0, installation.nodes.length - 1)
  const wrong = await end(installation.nodes[number]!)
  if (random.chance(0.5)) await sleep(random.between(0, 400))
  await installation.startNode(number)
  return wrong
}

async function killNode(node: Program): Promise<null> {
  await node.kill()
  return null
}

async function stopNode(node: Program): Promise<string | null> {
  const code = await node.stop()
  return code === 0 ? null : `a server ended with ${code} after SIGTERM`
}

async function killBoth(victim: Victim): Promise<string | null> {
  const pid = await victim.installation.postmaster()
  return restartNode(victim, async (node) => {
    signal(pid, 'SIGKILL')
    return killNode(node)
  })
}

async function freezeNode({ installation, random, held }: Victim): Promise<null> {
  const { process } = random.pick(installation.nodes)
  const time = random.between(200, 2500)
  process.kill('SIGSTOP')
  held(time)
  await sleep(time)
  process.kill('SIGCONT')
  return null
}

/** A database that is stopped during recovery may never exit; it is killed after so many milliseconds. */
const FAREWELL = 10_000

/** Sends a signal to the database, which the process that started it restarts. */
async function signalDatabase({ installation }: Victim, name: NodeJS.Signals): Promise<null> {
  const pid = await installation.postmaster()
  signal(pid, name)
  for (let late = Date.now() + FAREWELL; pid !== null && (await installation.postmaster()) === pid; await sleep(10)) {
    if (Date.now() < late) continue
    signal(pid, 'SIGQUIT')
    late = Date.now() + FAREWELL
  }
  return null
}

async function killBackend({ installation }: Victim): Promise<null> {
  const client = await installation.connect()
  const found = await client
    .query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'homeport' ORDER BY query_start DESC LIMIT 1",
    )
    // The previous fault can still have an effect.
    .catch(() => ({ rows: [] }))
  signal(found.rows[0]?.pid ?? null, 'SIGKILL')
  await client.end().catch(() => {})
  return null
}

async function killRedis({ installation, random }: Victim): Promise<null> {
  await installation.redis!.kill()
  await sleep(random.between(0, 800))
  await installation.redis!.start()
  return null
}

async function freezeRedis({ installation, random }: Victim): Promise<null> {
  installation.redis!.freeze()
  await sleep(random.between(100, 2000))
  installation.redis!.thaw()
  return null
}

function signal(pid: number | null, name: NodeJS.Signals): void {
  if (pid === null) return
  try {
    process.kill(pid, name)
  } catch (error) {
    // The process has exited since it was found.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
