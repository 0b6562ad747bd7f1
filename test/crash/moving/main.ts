import { randomInt } from 'node:crypto'
import { Command, InvalidArgumentError, Option } from 'commander'
import { killMoves, WAYS, type Way } from './campaign.ts'

const EXPLANATION = `
An app is imported from files, and pulled from another one, again and again. At random moments the command, the server or both
are killed with SIGKILL, and the same command is given again until it comes to its end. All that is there then is compared
with what a move brings that nothing disturbs: objects with ids, times and ACLs, users with what they log in with, members of
relations, messages, what counts by itself, and the report.

A difference is printed and ends the run with 1. The same seed makes the same choices; what comes of them is up to the machine.`

/** Runs `npm run crash:moving`. */
export async function crashMoving(argv: readonly string[]): Promise<void> {
  const { rounds, seed, only } = new Command('npm run crash:moving --')
    .description('Kills imports and pulls, and checks what is left.')
    .option('--rounds <number>', 'how often something is killed, for each way', integerOf, 50)
    .option('--seed <number>', 'of the choices; another one each run by default', integerOf, randomInt(1, 2 ** 31))
    .addOption(new Option('--only <ways...>', 'these ways alone').choices(WAYS).default([...WAYS]))
    .addHelpText('after', EXPLANATION)
    .parse([...argv])
    .opts<{ rounds: number; seed: number; only: Way[] }>()
  process.stdout.write(`seed ${seed}\n`)
  const report = (line: string) => void process.stdout.write(`${line}\n`)
  const began = Date.now()
  const { kills, compared, differences } = await killMoves({ seed, rounds, ways: only, report })
  report(`\n${compared} moves compared in ${((Date.now() - began) / 60_000).toFixed(1)} minutes`)
  for (const [name, count] of kills) report(`  ${count}  ${name}`)
  for (const difference of differences) report(difference)
  process.exit(differences.length > 0 ? 1 : 0)
}

function integerOf(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
