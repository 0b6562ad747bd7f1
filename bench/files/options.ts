import { cpus } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'

/** The parts of the benchmark, in the order in which they run. */
const PARTS = ['transfers', 'memory', 'pictures'] as const
type Part = (typeof PARTS)[number]

export interface FileOptions {
  readonly parts: ReadonlySet<Part>
  readonly peer: 'parse-server' | null
  readonly rounds: number
  /** Duration of a round of downloads. */
  readonly seconds: number
  /** File for the raw figures. */
  readonly json: string | null
}

interface Flags extends Pick<FileOptions, 'rounds' | 'seconds'> {
  readonly skip: readonly Part[]
  readonly only: readonly Part[]
  readonly peer?: 'parse-server'
  readonly json?: string
}

const EXPLANATION = `
Parts:
  transfers  files of 10 KB, 1 MB and 64 MB, downloaded again and again, and uploaded. Contestants are Homeport with a
             folder, nginx, where it is installed, which gives out the very same files, and the peer with its adapter for
             a folder. They take turns; each ratio is of rounds that ran one after the other. An upload is all that a
             client asks for: with Homeport a token, the bytes, and the word that they are there. Homeport has files on the
             disk before it says so, nginx and the peer leave that to the system
  memory     resident memory of Homeport while a file of 1 GB is uploaded, downloaded, and asked for by 50 clients that
             read only the beginning
  pictures   thumbnails of a picture with 12 million pixels: by sharp alone, in a process of its own, two at a time; by
             Homeport, asked by two; and the same once more, when Homeport has them

All of it runs over the loopback of this machine, with what is read in the memory of the system. Leave the machine alone
while it runs. This machine has ${cpus().length} processors; servers, database and this program share them.`

/** Parses the command line; prints help or errors and exits when necessary. */
export function readOptions(argv: readonly string[]): FileOptions {
  const command = new Command('npm run bench:files --')
    .description('Measures uploads, downloads and pictures.')
    .addOption(new Option('--peer <name>', 'a further contestant, installed on first use').choices(['parse-server']))
    .addOption(new Option('--only <parts...>', 'run these parts').choices(PARTS).default([], 'all'))
    .addOption(new Option('--skip <parts...>', 'leave these parts out').choices(PARTS).default([], 'none'))
    .option('--rounds <number>', 'rounds of each contestant', integerOf, 5)
    .option('--seconds <number>', 'length of a round of downloads', integerOf, 3)
    .option('--json <file>', 'write the raw figures to a file')
    .addHelpText('after', EXPLANATION)
    .parse(argv)
  const { only, skip, json, peer, ...rest } = command.opts<Flags>()
  const wanted = PARTS.filter((part) => (only.length === 0 || only.includes(part)) && !skip.includes(part))
  return { ...rest, parts: new Set(wanted), peer: peer ?? null, json: json ?? null }
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
