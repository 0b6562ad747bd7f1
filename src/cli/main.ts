#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { noticeOf } from '../notices/noticed-error.ts'
import { endWithServer, limitReach, sendFailure } from './parent-server.ts'
import { printable } from './printable.ts'

/** One is loaded alone when it is asked for: a server does not hold the code of all others in memory. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).startCommand(),
  app: async () => (await import('./app.ts')).appCommand(),
  administrator: async () => (await import('./administrator.ts')).administratorCommand(),
  class: async () => (await import('./class.ts')).classCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  files: async () => (await import('./files.ts')).filesCommand(),
  pull: async () => (await import('./pull.ts')).pullCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  engine: async () => (await import('./engine.ts')).engineCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
}

/** What a user did wrong ends with this code, as is the custom. */
const USAGE_ERROR = 2

endWithServer()
limitReach()

const program = new Command('homeport')
  .description('A self-hosted backend that speaks the LeanCloud API.')
  .showSuggestionAfterError()
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'homeport: ')) })

const [asked = ''] = process.argv.slice(2)
for (const load of Object.hasOwn(COMMANDS, asked) ? [COMMANDS[asked]!] : Object.values(COMMANDS)) {
  const command = await load()
  program.addCommand(command)
  overrideExit(command)
}

/** Commander passes its settings on only to commands that it makes itself. */
function overrideExit(command: Command): void {
  command.copyInheritedSettings(program)
  for (const inner of command.commands) overrideExit(inner)
}

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE_ERROR
  else if (error instanceof ConfigError) fail(error.faults, USAGE_ERROR)
  else {
    fail([error instanceof Error ? error.message : String(error)], 1)
    await sendFailure(noticeOf(error))
  }
}

function fail(lines: readonly string[], code: number): void {
  for (const line of lines) process.stderr.write(`homeport: ${printable(line)}\n`)
  process.exitCode = code
}
