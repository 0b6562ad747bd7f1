import type { Command } from 'commander'
import { flagOf, helpOf, isSecret, OPTIONS, type OptionName } from '../config-options.ts'

/** Lets a command take options of the program as flags; all that may stand on a command line unless some are named. */
export function addOptions(command: Command, names = Object.keys(OPTIONS) as OptionName[]): Command {
  for (const name of names) if (!isSecret(name)) command.option(`${flagOf(name)} <value>`, helpOf(name))
  return command
}
