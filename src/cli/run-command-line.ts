import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { noticeOf } from '../notices/noticed-error.ts'
import { VERSION } from '../version.ts'
import { USAGE_ERROR } from './exit-codes.ts'
import { sendFailure } from './parent-server.ts'
import { printable } from './printable.ts'

/** Only the requested command is loaded, so that a server does not keep the code of the others in memory. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).startCommand(),
  app: async () => (await import('./app.ts')).appCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  'console-link': async () => (await import('./console-link.ts')).consoleLinkCommand(),
  administrator: async () => (await import('./administrator.ts')).administratorCommand(),
  class: async () => (await import('./class.ts')).classCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  files: async () => (await import('./files.ts')).filesCommand(),
  pull: async () => (await import('./pull.ts')).pullCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  engine: async () => (await import('./engine.ts')).engineCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  service: async () => (await import('./service.ts')).serviceCommand(),
  health: async () => (await import('./health.ts')).healthCommand(),
}

/**
 * Runs a command to its end. Failures are written to standard error, and `process.exitCode` is set.
 * @param words the command and its arguments, without the program
 */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  try {
    const program = await makeProgram(words[0] ?? '')
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE_ERROR
    else if (error instanceof ConfigError) fail(error.faults, USAGE_ERROR)
    else {
      fail([error instanceof Error ? error.message : String(error)], 1)
      await sendFailure(noticeOf(error))
    }
  }
}

/** @param name the requested command; for an unknown name, the program has all commands, for its help */
async function makeProgram(name: string): Promise<Command> {
  const program = new Command('homeport')
    .description('A self-hosted backend that speaks the LeanCloud API.')
    .version(VERSION, '-V, --version', 'print the version')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'homeport: ')) })
  for (const load of Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]!] : Object.values(COMMANDS)) {
    const command = await load()
    program.addCommand(command)
    inheritSettings(command, program)
  }
  return program
}

/** Copies settings to a command and its subcommands. Commander only does this for commands that it creates itself. */
function inheritSettings(command: Command, program: Command): void {
  command.copyInheritedSettings(program)
  for (const inner of command.commands) inheritSettings(inner, program)
}

function fail(lines: readonly string[], code: number): void {
  for (const line of lines) process.stderr.write(`homeport: ${printable(line)}\n`)
  process.exitCode = code
}
