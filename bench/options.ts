import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'

/** The parts of the benchmark, in the order in which they run. */
const PARTS = ['cases', 'size', 'start', 'memory', 'logins'] as const
export type Part = (typeof PARTS)[number]

const CASES = [
  'create',
  'get',
  'get-with-session',
  'increment',
  'query',
  'query-with-session',
  'batch',
  'scan',
] as const
export type CaseName = (typeof CASES)[number]

export interface Options {
  readonly peer: 'parse-server' | null
  /** The folder of another version of Homeport, with a build. */
  readonly before: string | null
  readonly parts: ReadonlySet<Part>
  readonly cases: readonly CaseName[]
  readonly rounds: number
  /** Length of one round of one contestant, in seconds. */
  readonly seconds: number
  readonly connections: number
  /** Objects of the large class of the part `size`. */
  readonly large: number
  /** Requests of the part `memory`. */
  readonly requests: number
  /** File for the raw figures. */
  readonly json: string | null
}

interface Flags extends Omit<Options, 'parts' | 'peer' | 'before' | 'json' | 'cases'> {
  readonly peer?: 'parse-server'
  readonly before?: string
  readonly skip: readonly Part[]
  readonly only: readonly Part[]
  readonly cases: readonly CaseName[]
  readonly json?: string
}

const EXPLANATION = `
Parts:
  cases    requests per second, p50 and p99 of create, get, increment, an equality query on a field with an index
           (Homeport builds its own), batches of 50 creates, and the scan of a class; beside the bare limit (a minimal
           Fastify handler with one prepared statement per request) and the peer. All on one PostgreSQL, the embedded
           one with its production settings. Contestants take turns within each round, in an order that is turned round
           by round; ratios are taken per round, and medians of the rounds are printed. After each round the database is
           asked whether exactly the acknowledged writes are there. On Linux also the processor time that each server
           takes for a request. The get and the query also with session tokens of many users, of Homeport alone; these
           take turns with the ones without, if both are run. With --before a further version of Homeport takes part,
           to see what changes between the two have cost.
  size     a get and an equality query on a class of 10 thousand and one of --large objects, both finding 10 objects
  start    from the command to the first answer, on an empty and on an existing data directory, median of 3
  memory   resident memory of the server process at rest and over --requests requests
  logins   logins per second over 8 connections, and what they do to others: p50 and p99 of 200 gets per second, which
           are sent at even times whether or not the ones before have been answered, without logins and with. The two
           alternate more often than rounds of cases do, because p99 is a matter of few requests.

Figures of different machines say little; the ratios of one run do. Leave the machine alone while it runs.
This machine has ${cpus().length} processors; load generator, servers and database share them.`

/** Parses the command line; prints help or errors and exits when necessary. */
export function readOptions(argv: readonly string[]): Options {
  const command = new Command('npm run bench --')
    .description('Measures Homeport against the bare limit of its database driver, and against a peer.')
    .addOption(new Option('--peer <name>', 'a further contestant, installed on first use').choices(['parse-server']))
    .option('--before <folder>', 'a further contestant of the cases: another version of Homeport, built', resolved)
    .addOption(new Option('--only <parts...>', 'run these parts').choices(PARTS).default([], 'all'))
    .addOption(new Option('--skip <parts...>', 'leave these parts out').choices(PARTS).default([], 'none'))
    .addOption(new Option('--cases <names...>', 'of the part `cases`').choices(CASES).default(CASES, 'all'))
    .option('--rounds <number>', 'rounds of each case', integerOf, 3)
    .option('--seconds <number>', 'length of a round of one contestant', integerOf, 4)
    .option('--connections <number>', 'connections of the load generator', integerOf, 64)
    .option('--large <number>', 'objects of the large class of the part `size`', integerOf, 1_000_000)
    .option('--requests <number>', 'requests of the part `memory`', integerOf, 500_000)
    .option('--json <file>', 'write the raw figures to a file')
    .addHelpText('after', EXPLANATION)
    .parse(argv)
  const { peer, before, only, skip, cases, json, ...numbers } = command.opts<Flags>()
  const wanted = PARTS.filter((part) => (only.length === 0 || only.includes(part)) && !skip.includes(part))
  return {
    ...numbers,
    peer: peer ?? null,
    before: before ?? null,
    parts: new Set(wanted),
    cases: CASES.filter((name) => cases.includes(name)),
    json: json ?? null,
  }
}

function resolved(path: string): string {
  return resolve(path)
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
