import { cpus, getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import { temporaryDirectory } from '../postgres.ts'
import { runBenchmark } from '../run-benchmark.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './attacks.ts'
import { HelperProcess } from './helper-process.ts'
import { fillLibrary } from './library.ts'
import { type AttackOptions, readOptions } from './options.ts'
import type { Observation } from './probe.ts'
import { type AttackFigures, report, rowOf } from './report.ts'
import { startSlowEngine } from './slow-engine.ts'
import type { Target } from './target.ts'
import { serverMemory, watchUsage } from './usage.ts'
import { faultsOf, type Outcome } from './verdict.ts'
import { Victim } from './victim.ts'
import { fillWorld } from './world.ts'

/** Attackers run at a lower priority than their target, honest clients at a higher one. */
const ATTACKERS_NICE = Math.min(getPriority() + 10, 19)
const HONEST_NICE = Math.max(getPriority() - 10, -20)
/** The time between the start of the attack and the measurement, in milliseconds. */
const LEAD = 1500
const WARM_UP_SECONDS = 2
/** Timeout of the server's recovery, in milliseconds. */
const RECOVERY = 30_000
/** Maximum memory of the server in bytes; above it, the server is restarted before the next attack. */
const CALM_MEMORY = 320 * 1024 * 1024
/** Additional time for helper processes to reply, in milliseconds. */
const TIMEOUT_MS = 120_000

/**
 * Runs all attacks on a server and prints their effect on honest clients. The exit code is 1 when a limit is exceeded.
 * @param root the project folder, with a build in `dist`
 */
export async function attack(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(
    options.json,
    (cleanup) => measure(root, options, cleanup),
    (figures) => {
      if (figures.outcomes.some((outcome) => faultsOf(outcome).length > 0)) process.exitCode = 1
      return report(figures)
    },
  )
}

async function measure(root: string, options: AttackOptions, cleanup: Cleanup): Promise<AttackFigures> {
  const { seconds, objects } = options
  const data = join(await temporaryDirectory(cleanup), 'data')
  const victim = new Victim(root, data)
  cleanup.add(() => victim.stop())
  await victim.restart()
  process.stderr.write(`${objects} objects are made\n`)
  const world = await fillWorld(victim, objects)
  const attacks = options.names.map((name) => ATTACKS.find((attack) => attack.name === name)!)
  if (attacks.some(({ searched }) => searched)) await fillLibrary(victim, objects)
  const engine = await startSlowEngine(cleanup)
  const outcomes: Outcome[] = []
  let isCalm = false
  for (const attack of attacks) {
    if (!isCalm) await victim.restart()
    await attack.fill?.(victim)
    const target = { ...world, url: victim.url, port: Number(new URL(victim.url).port) }
    if (attack.slowEngine) await victim.configure({ engine: { production: engine } })
    const outcome = await cleanup.within((inner) => attackOnce(attack, target, victim, options, inner))
    if (attack.slowEngine && outcome.end === null)
      await victim.configure({ engine: { production: null } }).catch(() => {})
    outcomes.push(outcome)
    process.stderr.write(`${rowOf(outcome).join(' | ')}\n${remarks(outcome)}`)
    isCalm = faultsOf(outcome).length === 0 && serverMemory(victim.pid) < CALM_MEMORY && !attack.slowEngine
  }
  const machine = { processors: cpus().length, model: cpus()[0]?.model ?? 'unknown', node: process.version }
  return { date: new Date().toISOString(), machine, seconds, objects, outcomes }
}

async function attackOnce(
  { name, what }: Attack,
  target: Target,
  victim: Victim,
  { seconds, baselineSeconds }: AttackOptions,
  cleanup: Cleanup,
): Promise<Outcome> {
  process.stderr.write(`${name}: ${what}\n`)
  const honest = new HelperProcess(new URL('./probe-main.js', import.meta.url), HONEST_NICE)
  cleanup.add(() => honest.end())
  const attacker = new HelperProcess(new URL('./attacker-main.js', import.meta.url), ATTACKERS_NICE)
  cleanup.add(() => attacker.end())
  const observe = (seconds: number) => honest.request<Observation>({ seconds }, seconds * 1000 + TIMEOUT_MS)

  await honest.request({ target }, TIMEOUT_MS)
  await attacker.request({ name, target }, TIMEOUT_MS)
  await observe(WARM_UP_SECONDS)
  const before = await observe(baselineSeconds)
  const stopWatching = watchUsage(victim.pid, await victim.postmaster())
  attacker.send('go')
  await sleep(LEAD)
  const during = await observe(seconds)
  const { tally } = await attacker
    .request<{ tally: [string, number][] }>('stop', 5000)
    .catch(() => ({ tally: [] as [string, number][] }))
  const usage = stopWatching()
  await attacker.end()
  const recovery = victim.end === null ? await untilCalm(target.url) : null
  return { name, what, before, during, usage, end: victim.end, recovery, tally }
}

/** @returns milliseconds until the server responds quickly three times; null after the timeout */
async function untilCalm(url: string): Promise<number | null> {
  const began = performance.now()
  for (let calm = 0; performance.now() - began < RECOVERY; await sleep(50)) {
    const startedAt = performance.now()
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5000) }).catch(() => null)
    await response?.text()
    calm = response?.ok && performance.now() - startedAt < 50 ? calm + 1 : 0
    if (calm === 3) return performance.now() - began
  }
  return null
}

function remarks({ during, usage, tally, recovery }: Outcome): string {
  const answers = [...tally].sort(([, left], [, right]) => right - left).slice(0, 8)
  const lines = [
    `  the server took ${(usage.serverProcessor * 100).toFixed(0)} % of a processor`,
    `  the attacker got: ${answers.map(([what, times]) => `${times} × ${what}`).join(', ') || 'nothing'}`,
    ...(during.faults.length > 0 ? [`  honest clients: ${during.faults.join('; ')}`] : []),
    ...(recovery !== null && recovery > 1000 ? [`  calm again after ${(recovery / 1000).toFixed(1)} s`] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
