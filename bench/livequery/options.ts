import { cpus } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'

export interface LiveQueryOptions {
  readonly rounds: number
  /** Length of one round, in seconds. */
  readonly seconds: number
  readonly subscriptions: number
  /** The number of subscriptions matched by each write. */
  readonly matching: number
  /** Concurrent writes. */
  readonly writers: number
  /** File for the raw figures. */
  readonly json: string | null
}

const EXPLANATION = `
Objects are created in three classes, in turns: one with --subscriptions live queries of which each object concerns
--matching, one with --matching live queries that all concern each object, one with as many that never do, and one that
nobody subscribes to. A write is under way until it is answered and all whom it concerns have been told. Conditions have an equality and a comparison.

Processor time is that of the server process without its database, on Linux. Homeport runs with its embedded database.
Figures of different machines say little; the ratios of one run do. Leave the machine alone while it runs.
This machine has ${cpus().length} processors; load generator, server and database share them.`

/** Parses the command line; prints help or errors and exits when necessary. */
export function readOptions(argv: readonly string[]): LiveQueryOptions {
  const command = new Command('npm run bench:livequery --')
    .description('Measures what live queries cost the writes that they watch.')
    .option('--rounds <number>', 'rounds of each class', integerOf, 3)
    .option('--seconds <number>', 'length of a round', integerOf, 5)
    .option('--subscriptions <number>', 'live queries of the class with many', integerOf, 10_000)
    .option('--matching <number>', 'those that a write concerns', integerOf, 10)
    .option('--writers <number>', 'writes under way at once', integerOf, 8)
    .option('--json <file>', 'write the raw figures to a file')
    .addHelpText('after', EXPLANATION)
    .parse(argv)
  const { json, ...numbers } = command.opts<Omit<LiveQueryOptions, 'json'> & { json?: string }>()
  return { ...numbers, json: json ?? null }
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
