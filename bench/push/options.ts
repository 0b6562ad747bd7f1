import { cpus } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'

/** The parts of the benchmark, in the order in which they run. */
const PARTS = ['many', 'online', 'crash'] as const
type Part = (typeof PARTS)[number]

const PROVIDERS = ['hms', 'apns'] as const
export type ProviderName = (typeof PROVIDERS)[number]

export interface PushOptions {
  readonly parts: ReadonlySet<Part>
  readonly provider: ProviderName
  /** Installations. */
  readonly devices: number
  /** Devices connected to the built-in push channel. */
  readonly connections: number
  /** Pushes to one device each. */
  readonly samples: number
  /** The number of server kills. */
  readonly kills: number
  /** File for the raw figures. */
  readonly json: string | null
}

interface Flags extends Omit<PushOptions, 'parts' | 'json'> {
  readonly skip: readonly Part[]
  readonly only: readonly Part[]
  readonly json?: string
}

const EXPLANATION = `
Parts:
  many    a push to all of --devices installations, to one in a thousand by a channel, which an index serves, and to one
          in a thousand by a regular expression, which none serves. Time runs from the request until the record is done
  online  --connections devices are connected over the own channel; --samples pushes, each to one of them, one after the
          other: from the request until the device has the message. First when nothing else is going on, then while a
          push to all installations runs
  crash   two servers on one database send a push to all installations; --kills times, at random moments, one of them is
          killed and started again. Then it is counted what each device got

The provider is a process of its own: as HMS it takes 1000 devices in a request, as APNs one, over HTTP/2. Installations
are written straight into the database. many and online have a Homeport with its embedded database. On Linux: the
processor time of all processes, and the resident memory of the server process, sampled.

Leave the machine alone while it runs. This machine has ${cpus().length} processors; servers, database, provider and
this program share them.`

/** Parses the command line; prints help or errors and exits when necessary. */
export function readOptions(argv: readonly string[]): PushOptions {
  const command = new Command('npm run bench:push --')
    .description('Measures pushes to very many devices.')
    .addOption(new Option('--only <parts...>', 'run these parts').choices(PARTS).default([], 'all'))
    .addOption(new Option('--skip <parts...>', 'leave these parts out').choices(PARTS).default([], 'none'))
    .addOption(new Option('--provider <name>', 'whom the devices belong to').choices(PROVIDERS).default('hms'))
    .option('--devices <number>', 'installations', integerOf, 1_000_000)
    .option('--connections <number>', 'connected devices', integerOf, 1000)
    .option('--samples <number>', 'pushes to one device', integerOf, 1000)
    .option('--kills <number>', 'how often a server is killed', integerOf, 4)
    .option('--json <file>', 'write the raw figures to a file')
    .addHelpText('after', EXPLANATION)
    .parse(argv)
  const { only, skip, json, ...rest } = command.opts<Flags>()
  const wanted = PARTS.filter((part) => (only.length === 0 || only.includes(part)) && !skip.includes(part))
  return { ...rest, parts: new Set(wanted), json: json ?? null }
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
