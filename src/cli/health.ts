import { Command } from 'commander'
import { connect, type ServerFlags, withServerFlags } from './management.ts'

/**
 * `homeport health` checks that a running server can serve requests: exit code 0 if it can, else 1. Health checks of containers
 * run it, because it finds the port and the protocol in the data directory.
 */
export function healthCommand(): Command {
  return withServerFlags(new Command('health').description('Check that a running server can serve requests.')).action(
    async (flags: ServerFlags) => {
      const server = connect(flags)
      await server.request('GET', '/health')
      process.stdout.write(`${server.url} can serve requests\n`)
    },
  )
}
