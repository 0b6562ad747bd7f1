import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Random } from '../campaign/random.ts'
import { Command, reportIn } from './command.ts'
import { type Content, differencesOf } from './content.ts'
import { MovingServer } from './moving-server.ts'
import { writeSourceApp } from './source-app.ts'

export const WAYS = ['import', 'pull'] as const
export type Way = (typeof WAYS)[number]

export interface MovingOptions {
  readonly seed: number
  /** The number of kills for each way. */
  readonly rounds: number
  readonly ways: readonly Way[]
  readonly report: (line: string) => void
}

export interface MovingReport {
  /** The number of kills by target. */
  readonly kills: ReadonlyMap<string, number>
  /** Finished and compared moves. */
  readonly compared: number
  /** Differences from an undisturbed move; empty when there are none. */
  readonly differences: readonly string[]
}

/** The targets killed in a round. */
const FAULTS = ['the command', 'the server', 'both'] as const
/** The fraction of a move's duration in which kills happen: later ones are often too late. */
const MOMENTS = 0.8
/** Milliseconds before which a command has started no work, and the maximum time the server stays down. */
const BEGINNING = 300
const ABSENCE = 600
/** Exit codes of a finished move: everything was imported, or some lines were rejected and listed. */
const DONE = new Set<number | null>([0, 3])

/**
 * Moves the same data repeatedly, each time into a new app, and kills the command or the server at random moments. It repeats
 * the command until it finishes, then compares the data with an undisturbed move.
 */
export async function killMoves(options: MovingOptions): Promise<MovingReport> {
  const ends: (() => Promise<void>)[] = []
  const kills = new Map<string, number>()
  let compared = 0
  try {
    const random = new Random(options.seed)
    const server = await MovingServer.start((end) => void ends.push(end))
    const source = join(server.directory, 'brought')
    await writeSourceApp(source, random.fork())
    for (const way of options.ways) {
      const moves = new Moves(server, way, source)
      const uninterrupted = await moves.uninterrupted()
      const choices = random.fork()
      for (let left = options.rounds; left > 0; compared++) {
        const app = await moves.begin()
        const killed = await disturbed(server, app, uninterrupted.milliseconds, choices, left)
        for (const name of killed) kills.set(`${way}: ${name}`, (kills.get(`${way}: ${name}`) ?? 0) + 1)
        left -= killed.length
        options.report(`${way} ${app.appId}: killed ${killed.length} times (${killed.join(', ')}), ${left} left`)
        const differences = await moves.differencesOf(app, uninterrupted)
        if (differences.length > 0) return { kills, compared, differences: [`${way}: ${app.appId}`, ...differences] }
      }
    }
    return { kills, compared, differences: [] }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

interface MovedApp {
  readonly appId: string
  /** The command, identical for each attempt. */
  readonly args: readonly string[]
  readonly reportFolder: string
}

interface UninterruptedRun {
  readonly app: MovedApp
  readonly content: Content
  readonly report: unknown
  /** Its duration. */
  readonly milliseconds: number
  /** The next value of the auto-increment field. */
  readonly nextNumber: unknown
}

/** Moves of one way, each into a new app. */
class Moves {
  readonly #server: MovingServer
  readonly #way: Way
  readonly #source: string
  #count = 0

  constructor(server: MovingServer, way: Way, source: string) {
    this.#server = server
    this.#way = way
    this.#source = source
  }

  async begin(): Promise<MovedApp> {
    const appId = `${this.#way}${this.#count++}`
    await this.#server.makeApp(appId)
    const reportFolder = join(this.#server.directory, `report-${appId}`)
    const target = ['--app', appId, '--url', this.#server.url, '--report', reportFolder]
    const from = ['--from', this.#server.url, '--source-app', 'source', '--rate', '1000']
    const args =
      this.#way === 'import' ? ['import', ...target, this.#source] : ['pull', ...target, ...from, '--no-files']
    return { appId, args, reportFolder }
  }

  /** Runs an undisturbed move. */
  async uninterrupted(): Promise<UninterruptedRun> {
    if (this.#way === 'pull') await this.#makeSource()
    const app = await this.begin()
    const began = performance.now()
    await toItsEnd(app)
    const milliseconds = performance.now() - began
    const content = await this.#server.content(app.appId)
    const report = await reportIn(app.reportFolder)
    return { app, content, report, milliseconds, nextNumber: await this.#nextNumber(app) }
  }

  async differencesOf(app: MovedApp, uninterrupted: UninterruptedRun): Promise<string[]> {
    const differences = differencesOf(uninterrupted.content, await this.#server.content(app.appId))
    const report = await reportIn(app.reportFolder)
    // The report of a restarted pull counts repeated reads.
    if (this.#way === 'import' && !isDeepStrictEqual(report, uninterrupted.report))
      differences.push(`the report is ${JSON.stringify(report)} instead of ${JSON.stringify(uninterrupted.report)}`)
    const next = await this.#nextNumber(app)
    if (next !== uninterrupted.nextNumber)
      differences.push(`the next number is ${next} instead of ${uninterrupted.nextNumber}`)
    return differences
  }

  async #nextNumber({ appId }: MovedApp): Promise<unknown> {
    return (await this.#server.create(appId, 'Ticket', { code: 'the next one' })).number
  }

  /** The source of a pull is an imported app. */
  async #makeSource(): Promise<void> {
    await this.#server.makeApp('source')
    await this.#server.admin('PATCH', '/apps/source/settings', { storage: { returnAclInQueries: true } })
    const reportFolder = join(this.#server.directory, 'report-source')
    const args = ['import', '--app', 'source', '--url', this.#server.url, '--report', reportFolder, this.#source]
    await toItsEnd({ appId: 'source', args, reportFolder })
  }
}

/** @throws Error with the last output of a command that does not finish */
async function toItsEnd({ args }: MovedApp): Promise<void> {
  const command = new Command(args)
  const code = await command.end()
  if (!DONE.has(code)) throw new Error(`${args.join(' ')} ended with ${code}:\n${command.words}`)
}

/** The maximum number of failed attempts without a kill. */
const MAX_FAULTS = 5

/**
 * Repeats a command and kills it or the server until it finishes.
 * @param max the maximum number of kills
 * @returns the killed targets
 */
async function disturbed(
  server: MovingServer,
  { args }: MovedApp,
  duration: number,
  random: Random,
  max: number,
): Promise<string[]> {
  const killed: string[] = []
  for (let faults = 0; ; ) {
    const command = new Command(args)
    const before = killed.length
    const isLast = before === max
    if (!isLast && (await command.runFor(BEGINNING + random.next() * duration * MOMENTS))) {
      const fault = random.pick(FAULTS)
      killed.push(fault)
      if (fault !== 'the server') await command.kill()
      if (fault !== 'the command') {
        await server.kill()
        await sleep(random.next() * ABSENCE)
        await server.startAgain()
      }
      if (fault !== 'the server') continue
    }
    const code = await command.end()
    if (DONE.has(code)) return killed
    // A command fails when the server is down for longer than its timeout; without a kill it must not fail.
    if (killed.length === before && ++faults === MAX_FAULTS)
      throw new Error(`${args.join(' ')} ended with ${code}:\n${command.words}`)
  }
}
