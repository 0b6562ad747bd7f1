import type { Command } from 'commander'
import { flagOf, helpOf, isSecret, OPTIONS, type OptionName } from '../config-options.ts'

/** Adds options of the program to a command as flags; by default all that are allowed on a command line. */
export function addOptions(command: Command, names = Object.keys(OPTIONS) as OptionName[]): Command {
  for (const name of names) if (!isSecret(name)) command.option(`${flagOf(name)} <value>`, helpOf(name))
  return command
}
