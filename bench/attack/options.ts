import { Command, InvalidArgumentError, Option } from 'commander'
import { ATTACKS } from './attacks.ts'

export interface AttackOptions {
  /** Names, in the order of the list. */
  readonly names: readonly string[]
  /** Duration of the measurement under each attack. */
  readonly seconds: number
  readonly baselineSeconds: number
  /** Objects of the large class. */
  readonly objects: number
  readonly json: string | null
}

const EXPLANATION = `
Attacks:
${ATTACKS.map(({ name, what }) => `  ${name.padEnd(20)} ${what}`).join('\n')}

Each comes from one address without the master key, in a process of its own that gives way to the others (nice 10), so
that it is not its need of this machine's processors that honest clients feel. These ask from other addresses and in
another process, at even times; a latency counts from the moment in which a request was to be sent. Needs Linux.`

export function readOptions(argv: readonly string[]): AttackOptions {
  const names = ATTACKS.map(({ name }) => name)
  const command = new Command('npm run attack --')
    .description('Attacks a server of its own, and tells what honest clients notice of it.')
    .addOption(new Option('--only <names...>', 'attack so').choices(names).default([], 'all'))
    .addOption(new Option('--skip <names...>', 'leave these out').choices(names).default([], 'none'))
    .option('--seconds <number>', 'under each attack', integerOf, 15)
    .option('--baseline-seconds <number>', 'before each attack', integerOf, 5)
    .option('--objects <number>', 'of the large class', integerOf, 500_000)
    .option('--json <file>', 'write the raw figures to a file')
    .addHelpText('after', EXPLANATION)
    .parse(argv)
  const { only, skip, seconds, baselineSeconds, objects, json } = command.opts()
  return {
    names: names.filter((name) => (only.length === 0 || only.includes(name)) && !skip.includes(name)),
    seconds,
    baselineSeconds,
    objects,
    json: json ?? null,
  }
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
