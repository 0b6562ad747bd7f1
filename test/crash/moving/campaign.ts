import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Random } from '../campaign/random.ts'
import { writeBroughtApp } from './brought-app.ts'
import { Command, reportIn } from './command.ts'
import { type Content, differencesOf } from './content.ts'
import { MovingServer } from './moving-server.ts'

export const WAYS = ['import', 'pull'] as const
export type Way = (typeof WAYS)[number]

export interface MovingOptions {
  readonly seed: number
  /** How often something is killed, for each way. */
  readonly rounds: number
  readonly ways: readonly Way[]
  readonly report: (line: string) => void
}

export interface MovingReport {
  /** How often each was killed. */
  readonly kills: ReadonlyMap<string, number>
  /** Moves that came to their end, and were compared. */
  readonly compared: number
  /** What is not as after a move that nothing disturbed; empty when all is well. */
  readonly differences: readonly string[]
}

/** What is killed in a round. */
const FAULTS = ['the command', 'the server', 'both'] as const
/** Kills fall into so much of the time that a whole move takes: what comes later often comes too late. */
const MOMENTS = 0.8
/** Milliseconds before which a command has begun nothing, and that a server stays away at most. */
const BEGINNING = 300
const ABSENCE = 600
/** All was taken, or some lines were not, which are listed. */
const DONE = new Set<number | null>([0, 3])

/**
 * Moves the same data again and again, each time into an app of its own, and kills the command or the server at random moments.
 * After each the same command is given again, until it comes to its end. What is there then must equal what a move brings
 * that nothing disturbs.
 */
export async function killMoves(options: MovingOptions): Promise<MovingReport> {
  const ends: (() => Promise<void>)[] = []
  const kills = new Map<string, number>()
  let compared = 0
  try {
    const random = new Random(options.seed)
    const server = await MovingServer.start((end) => void ends.push(end))
    const brought = join(server.directory, 'brought')
    await writeBroughtApp(brought, random.fork())
    for (const way of options.ways) {
      const moves = new Moves(server, way, brought)
      const whole = await moves.whole()
      const choices = random.fork()
      for (let left = options.rounds; left > 0; compared++) {
        const app = await moves.begin()
        const killed = await disturbed(server, app, whole.milliseconds, choices, left)
        for (const name of killed) kills.set(`${way}: ${name}`, (kills.get(`${way}: ${name}`) ?? 0) + 1)
        left -= killed.length
        options.report(`${way} ${app.appId}: killed ${killed.length} times (${killed.join(', ')}), ${left} left`)
        const differences = await moves.differencesOf(app, whole)
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
  /** The command, the same each time. */
  readonly args: readonly string[]
  readonly reportFolder: string
}

interface Whole {
  readonly app: MovedApp
  readonly content: Content
  readonly report: unknown
  /** How long it took. */
  readonly milliseconds: number
  /** What a field that counts by itself gives next. */
  readonly nextNumber: unknown
}

/** Moves of one way, each into an app of its own. */
class Moves {
  readonly #server: MovingServer
  readonly #way: Way
  readonly #brought: string
  #count = 0

  constructor(server: MovingServer, way: Way, brought: string) {
    this.#server = server
    this.#way = way
    this.#brought = brought
  }

  async begin(): Promise<MovedApp> {
    const appId = `${this.#way}${this.#count++}`
    await this.#server.makeApp(appId)
    const reportFolder = join(this.#server.directory, `report-${appId}`)
    const target = ['--app', appId, '--url', this.#server.url, '--report', reportFolder]
    const from = ['--from', this.#server.url, '--source-app', 'source', '--rate', '1000']
    const args =
      this.#way === 'import' ? ['import', ...target, this.#brought] : ['pull', ...target, ...from, '--no-files']
    return { appId, args, reportFolder }
  }

  /** The move that nothing disturbs. */
  async whole(): Promise<Whole> {
    if (this.#way === 'pull') await this.#makeSource()
    const app = await this.begin()
    const began = performance.now()
    await toItsEnd(app)
    const milliseconds = performance.now() - began
    const content = await this.#server.content(app.appId)
    const report = await reportIn(app.reportFolder)
    return { app, content, report, milliseconds, nextNumber: await this.#nextNumber(app) }
  }

  async differencesOf(app: MovedApp, whole: Whole): Promise<string[]> {
    const differences = differencesOf(whole.content, await this.#server.content(app.appId))
    const report = await reportIn(app.reportFolder)
    // A pull that was begun again tells of what it has looked at twice.
    if (this.#way === 'import' && !isDeepStrictEqual(report, whole.report))
      differences.push(`the report is ${JSON.stringify(report)} instead of ${JSON.stringify(whole.report)}`)
    const next = await this.#nextNumber(app)
    if (next !== whole.nextNumber) differences.push(`the next number is ${next} instead of ${whole.nextNumber}`)
    return differences
  }

  async #nextNumber({ appId }: MovedApp): Promise<unknown> {
    return (await this.#server.create(appId, 'Ticket', { code: 'the next one' })).number
  }

  /** What is pulled is an app that was imported. */
  async #makeSource(): Promise<void> {
    await this.#server.makeApp('source')
    await this.#server.admin('PATCH', '/apps/source/settings', { storage: { returnAclInQueries: true } })
    const reportFolder = join(this.#server.directory, 'report-source')
    const args = ['import', '--app', 'source', '--url', this.#server.url, '--report', reportFolder, this.#brought]
    await toItsEnd({ appId: 'source', args, reportFolder })
  }
}

/** @throws Error with the last words of a command that does not come to its end */
async function toItsEnd({ args }: MovedApp): Promise<void> {
  const command = new Command(args)
  const code = await command.end()
  if (!DONE.has(code)) throw new Error(`${args.join(' ')} ended with ${code}:\n${command.words}`)
}

/** How often a command may end without having come to its end, though nothing was killed. */
const MOST_TROUBLE = 5

/**
 * Gives a command again and again, and kills it or the server, until it comes to its end.
 * @param most kills
 * @returns what was killed
 */
async function disturbed(
  server: MovingServer,
  { args }: MovedApp,
  duration: number,
  random: Random,
  most: number,
): Promise<string[]> {
  const killed: string[] = []
  for (let trouble = 0; ; ) {
    const command = new Command(args)
    const before = killed.length
    const isLast = before === most
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
    // A server that is away for longer than a command waits ends it; without one, nothing may.
    if (killed.length === before && ++trouble === MOST_TROUBLE)
      throw new Error(`${args.join(' ')} ended with ${code}:\n${command.words}`)
  }
}
