#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { administratorCommand } from './administrator.ts'
import { appCommand } from './app.ts'
import { classCommand } from './class.ts'
import { doctorCommand } from './doctor.ts'
import { engineCommand } from './engine.ts'
import { exportCommand } from './export.ts'
import { filesCommand } from './files.ts'
import { importCommand } from './import.ts'
import { pullCommand } from './pull.ts'
import { startCommand } from './start.ts'
import { endWithServer } from './told-server.ts'
import { verifyCommand } from './verify.ts'

/** What a user did wrong ends with this code, as is the custom. */
const USAGE_ERROR = 2

endWithServer()

const program = new Command('homeport')
  .description('A self-hosted backend that speaks the LeanCloud API.')
  .showSuggestionAfterError()
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'homeport: ')) })

for (const command of [
  startCommand(),
  appCommand(),
  administratorCommand(),
  classCommand(),
  importCommand(),
  exportCommand(),
  filesCommand(),
  pullCommand(),
  verifyCommand(),
  engineCommand(),
  doctorCommand(),
]) {
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
  else fail([error instanceof Error ? error.message : String(error)], 1)
}

function fail(lines: readonly string[], code: number): void {
  for (const line of lines) process.stderr.write(`homeport: ${line}\n`)
  process.exitCode = code
}
