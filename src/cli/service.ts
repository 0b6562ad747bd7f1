import { realpathSync } from 'node:fs'
import { Command } from 'commander'
import { addOptions } from './options.ts'
import { givenVariables, install, unitFor } from './service/install.ts'
import { thisMachine } from './service/machine.ts'
import { status } from './service/status.ts'
import { uninstall } from './service/uninstall.ts'

type InstallFlags = Readonly<Record<string, unknown>> & { readonly print?: true; readonly start: boolean }

/** `homeport service …` runs the server as a service of systemd. */
export function serviceCommand(): Command {
  const service = new Command('service').description('Run the server as a service of systemd.')
  const installing = service
    .command('install')
    .description(
      'Install and start the service, or update it. Flags and HOMEPORT_* variables are stored in /etc/homeport/homeport.env.',
    )
    .option('--print', 'print the unit, and change nothing')
    .option('--no-start', 'do not start the service now')
  addOptions(installing).action(async ({ print, start, ...flags }: InstallFlags) => {
    const machine = thisMachine()
    const program = { node: process.execPath, main: realpathSync(process.argv[1]!) }
    const options = { variables: givenVariables(flags, process.env), program, start }
    if (print) process.stdout.write(unitFor(options, machine.root))
    else show(await install(machine, options))
  })
  service
    .command('uninstall')
    .description('Stop the service and remove it. Data and options stay.')
    .option('--delete-data', 'also delete the data directory, the options and the user homeport')
    .action(({ deleteData = false }: { readonly deleteData?: boolean }) =>
      show(uninstall(thisMachine(), { deleteData })),
    )
  service
    .command('status')
    .description('Show whether the service runs and can serve requests. Exit code 0: it can.')
    .action(async () => {
      const { lines, code } = await status(thisMachine())
      show(lines)
      process.exitCode = code
    })
  return service
}

function show(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
