import { cpus } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'

/** The parts of the benchmark, in the order in which they run. */
const PARTS = ['rooms', 'pairs', 'connections', 'history', 'logins'] as const
export type Part = (typeof PARTS)[number]

export interface MessagingOptions {
  readonly parts: ReadonlySet<Part>
  readonly rounds: number
  /** Length of one round, in seconds. */
  readonly seconds: number
  /** Receivers in a room. */
  readonly members: number
  readonly pairs: number
  /** Idle connections. */
  readonly connections: number
  /** Delay before memory is read, in seconds. */
  readonly pause: number
  /** Messages of the long conversation. */
  readonly depth: number
  /** Clients that can reconnect in a round of logins. */
  readonly returning: number
  readonly sharedDatabase: boolean
  /** File for the raw figures. */
  readonly json: string | null
}

interface Flags extends Omit<MessagingOptions, 'parts' | 'json' | 'sharedDatabase'> {
  readonly skip: readonly Part[]
  readonly only: readonly Part[]
  readonly sharedDatabase?: true
  readonly json?: string
}

const EXPLANATION = `
Parts:
  rooms        one client sends to a chat room of --members others, with 20 messages under way and with 1. A message is
               under way until all members have it and the sender has its acknowledgement. Beside it, in turns, a bare
               broadcaster: a process with \`ws\` that makes the frame of each message once and writes it to each socket
               by itself, stores nothing and checks nothing. Ratios are taken per round
  pairs        --pairs conversations of two, whose members send as soon as their last message was acknowledged, and
               acknowledge once in a second what they have received, as the official clients do. Messages are stored
  connections  resident memory of the server process for each of --connections clients that are logged in and say nothing
  history      the newest page of a conversation of --depth messages, and pages at its far end
  logins       --returning clients were logged in and come back, 200 at once: each makes a connection, opens its session
               by its token and joins a chat room. Each has two conversations, and one in ten something unread. The
               processor time is that of server and database. Beside it a bare relay: a process with \`ws\` to which the
               same clients come, and which answers with bytes that it has ready. Then reads over HTTP, without and
               during the logins

On Linux the processor time that the server process (without its database) takes for a message that arrives. After each
round of rooms and pairs the database is asked whether exactly the acknowledged messages are there. Homeport runs with
its embedded database, and knows that it is the only node. Each part has a Homeport of its own.

Figures of different machines say little; the ratios of one run do. Leave the machine alone while it runs.
This machine has ${cpus().length} processors; load generator, servers and database share them.`

/** Parses the command line; prints help or errors and exits when necessary. */
export function readOptions(argv: readonly string[]): MessagingOptions {
  const command = new Command('npm run bench:messaging --')
    .description('Measures what messages cost Homeport, beside a bare broadcaster.')
    .addOption(new Option('--only <parts...>', 'run these parts').choices(PARTS).default([], 'all'))
    .addOption(new Option('--skip <parts...>', 'leave these parts out').choices(PARTS).default([], 'none'))
    .option('--rounds <number>', 'rounds of each part', integerOf, 3)
    .option('--seconds <number>', 'length of a round', integerOf, 5)
    .option('--members <number>', 'receivers in a room', integerOf, 500)
    .option('--pairs <number>', 'conversations of two', integerOf, 500)
    .option('--connections <number>', 'idle connections', integerOf, 5000)
    .option('--pause <number>', 'seconds of rest before memory is read', integerOf, 15)
    .option('--depth <number>', 'messages of the long conversation', integerOf, 1_000_000)
    .option('--returning <number>', 'clients that can come back in a round', integerOf, 16_000)
    .option('--shared-database', 'a database that other nodes could use too: Homeport tells them what happens')
    .option('--json <file>', 'write the raw figures to a file')
    .addHelpText('after', EXPLANATION)
    .parse(argv)
  const { only, skip, json, sharedDatabase = false, ...numbers } = command.opts<Flags>()
  const wanted = PARTS.filter((part) => (only.length === 0 || only.includes(part)) && !skip.includes(part))
  return { ...numbers, parts: new Set(wanted), sharedDatabase, json: json ?? null }
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
