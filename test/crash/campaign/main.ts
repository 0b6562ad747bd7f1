import { randomInt } from 'node:crypto'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type CampaignReport, possibleShapes, runCampaign } from './campaign.ts'
import { SHAPES, type Shape } from './installation.ts'

interface Flags {
  readonly rounds: number
  readonly seed: number
  readonly minutes?: number
  readonly shapes: readonly Shape[]
}

/** Rounds on one installation before the campaign switches to the next. */
const ROUNDS_PER_SHAPE = 20

const EXPLANATION = `
In each round clients write objects and talk, over one server or two; at a random moment something is killed, held still or
restarted: a server, the database, Redis. When all servers say that they are well again, what is there is compared with what
the clients were told: what was acknowledged is there once, what was refused is not there, what nobody knows is there once at
most; sums are those of their increments, messages are complete and in order, unread numbers right.

A round that finds a difference prints it and ends the run with 1; the data stays where it is said to be. The same seed makes
the same choices; what comes of them is up to the machine.`

/** Runs `npm run crash`. */
export async function crash(argv: readonly string[]): Promise<void> {
  const { rounds, seed, minutes, shapes } = readFlags(argv)
  process.stdout.write(`seed ${seed}\n`)
  const began = Date.now()
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      // The first signal waits for the end of the round; the second one exits at once.
      if (stopping.signal.aborted) process.exit(130)
      process.stdout.write(`${name}: stopping when this round has ended\n`)
      stopping.abort()
    })
  const report = await runCampaign({
    seed,
    rounds,
    roundsPerShape: ROUNDS_PER_SHAPE,
    minutes: minutes ?? null,
    shapes: shapes.length > 0 ? shapes : possibleShapes(),
    signal: stopping.signal,
    report: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(summaryOf(report, (Date.now() - began) / 60_000))
  if (report.failed) {
    const { round, differences, directory } = report.failed
    process.stdout.write(`\nRound ${round} of seed ${seed} failed. The data is in ${directory}.\n`)
    for (const difference of differences.slice(0, 50)) process.stdout.write(`  ${difference}\n`)
  }
  process.exit(report.failed ? 1 : 0)
}

function readFlags(argv: readonly string[]): Flags {
  return new Command('npm run crash --')
    .description('Kills servers, database and Redis while clients write, and checks what is left.')
    .option('--rounds <number>', 'how many', integerOf, 100)
    .option('--minutes <number>', 'begin no more rounds after so many minutes', integerOf)
    .option('--seed <number>', 'of the choices; another one each run by default', integerOf, randomInt(1, 2 ** 31))
    .addOption(new Option('--shapes <shapes...>', 'how servers stand together').choices(SHAPES).default([], 'all'))
    .addHelpText('after', EXPLANATION)
    .parse([...argv])
    .opts<Flags>()
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}

function summaryOf(report: CampaignReport, minutes: number): string {
  const { rounds, acknowledged, messages, unknown, sentAgain, longestOutage, byShape, byFault } = report
  const list = (counts: ReadonlyMap<string, number>) => [...counts].map(([name, count]) => `  ${count}  ${name}\n`)
  return [
    `\n${rounds} rounds in ${minutes.toFixed(1)} minutes: ${acknowledged} writes and ${messages} messages acknowledged, `,
    `${unknown} writes with an unknown outcome, ${sentAgain} messages sent again; `,
    `well again after ${Math.round(longestOutage)} ms at the latest\n`,
    ...list(byShape),
    ...list(byFault),
  ].join('')
}
