import { cpus } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'

/** The imported kinds, in order. */
const PARTS = ['objects', 'messages', 'neighbour'] as const
type Part = (typeof PARTS)[number]

export interface ImportOptions {
  readonly parts: ReadonlySet<Part>
  readonly objects: number
  readonly messages: number
  readonly rounds: number
  /** Whether the file of objects is an archive like that of the hosted service. */
  readonly packed: boolean
  /** Duration of a round of neighbor queries. */
  readonly seconds: number
  readonly seed: number
  /** File for the raw figures. */
  readonly json: string | null
}

interface Flags extends Omit<ImportOptions, 'parts' | 'json'> {
  readonly only: readonly Part[]
  readonly json?: string
}

const EXPLANATION = `
Parts:
  objects    a file of a JSON export with objects of 500 bytes (--packed: in a .tar.gz), imported by \`homeport import\` into an
             app of a server with its embedded database; then the rows that came of it are stored by COPY, from a file of
             PostgreSQL's own, into a table with the same columns and indexes. So in turns, round by round
  messages   the same with messages of 200 bytes in conversations
  neighbour  the time that a query of another app takes, without an import and during one

A rate counts from the start of the command to its end, with the count and the statistics that it ends with. Leave the
machine alone while it runs. This machine has ${cpus().length} processors; the command, the server, its database and this program share
them.`

/** Parses the command line; prints help or errors and exits when necessary. */
export function readOptions(argv: readonly string[]): ImportOptions {
  const { only, json, ...rest } = new Command('npm run bench:import --')
    .description('Measures what moving in takes.')
    .option('--objects <number>', 'how many', integerOf, 5_000_000)
    .option('--messages <number>', 'how many', integerOf, 5_000_000)
    .addOption(new Option('--only <parts...>', 'run these parts').choices(PARTS).default([], 'all'))
    .option('--rounds <number>', 'how often', integerOf, 1)
    .option('--packed', 'objects come in an archive', false)
    .option('--seconds <number>', 'length of a round of queries', integerOf, 15)
    .option('--seed <number>', 'of what is imported', integerOf, 1)
    .option('--json <file>', 'write the raw figures to a file')
    .addHelpText('after', EXPLANATION)
    .parse(argv)
    .opts<Flags>()
  return { ...rest, parts: new Set(only.length === 0 ? PARTS : only), json: json ?? null }
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
