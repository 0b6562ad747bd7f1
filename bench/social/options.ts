import { cpus } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'

/** The parts of the benchmark, in the order in which they run. */
export const PARTS = ['statuses', 'leaderboards', 'search'] as const
export type PartName = (typeof PARTS)[number]

export interface SocialOptions {
  readonly parts: ReadonlySet<PartName>
  /** The recipients of the status. */
  readonly followers: number
  /** Reads of other clients per second during its delivery. */
  readonly reads: number
  /** Members of the larger leaderboard. */
  readonly members: number
  /** Duration of each leaderboard figure. */
  readonly seconds: number
  /** Number of searchable objects. */
  readonly articles: number
  /** File for the raw figures. */
  readonly json: string | null
}

interface Flags extends Omit<SocialOptions, 'parts' | 'json'> {
  readonly skip: readonly PartName[]
  readonly only: readonly PartName[]
  readonly json?: string
}

const EXPLANATION = `
Parts:
  statuses  a user has --followers followers and sends a status: from the request until the last of them has it in the
            inbox. Meanwhile others read objects and inboxes, --reads a second; first when nothing else is going on. Then
            the same followers, whose inboxes are full, get another one
  leaderboards  values and ranks in a board of 10 000 members and in one of --members, over one connection and over 16, and
            in sorted sets of Redis where there is one
  search    --articles objects, half of them Chinese, are indexed; then what searches of several kinds take, what creates
            take without search and with it, and how long it is until an object is found. A million takes about twice as long

On a Homeport with its embedded database. Leave the machine alone while it runs. This machine has ${cpus().length} processors;
server, database and this program share them.`

/** Parses the command line; prints help or errors and exits when necessary. */
export function readOptions(argv: readonly string[]): SocialOptions {
  const command = new Command('npm run bench:social --')
    .description('Measures what users tell and show each other.')
    .addOption(new Option('--only <parts...>', 'run these parts').choices(PARTS).argParser(partsOf).default([], 'all'))
    .addOption(
      new Option('--skip <parts...>', 'leave these parts out').choices(PARTS).argParser(partsOf).default([], 'none'),
    )
    .option('--followers <number>', 'who gets the status', integerOf, 100_000)
    .option('--reads <number>', 'reads of others in a second', integerOf, 200)
    .option('--members <number>', 'members of the larger leaderboard', integerOf, 10_000_000)
    .option('--seconds <number>', 'for each figure of leaderboards', integerOf, 3)
    .option('--articles <number>', 'objects that are searched through', integerOf, 500_000)
    .option('--json <file>', 'write the raw figures to a file')
    .addHelpText('after', EXPLANATION)
    .parse(argv)
  const { only, skip, json, ...rest } = command.opts<Flags>()
  const wanted = PARTS.filter((part) => (only.length === 0 || only.includes(part)) && !skip.includes(part))
  return { ...rest, parts: new Set(wanted), json: json ?? null }
}

/** Parses part names: `--only a b` and `--only a,b` are equivalent. */
function partsOf(text: string, before: readonly PartName[]): PartName[] {
  const names = text.split(',')
  const unknown = names.find((name) => !(PARTS as readonly string[]).includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`The parts are ${PARTS.join(', ')}.`)
  return [...before, ...(names as PartName[])]
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
