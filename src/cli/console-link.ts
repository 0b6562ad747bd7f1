import { Command } from 'commander'
import { printNewLink } from './administrator-link.ts'
import { connect, type ServerFlags, withServerFlags } from './management.ts'

/** `homeport console-link` prints a login link for the console, as the first start does. */
export function consoleLinkCommand(): Command {
  return withServerFlags(
    new Command('console-link').description('Print a one-time login link for the console of a running server.'),
  )
    .argument('[name]', 'name of the administrator (default: the owner)')
    .action((name: string | undefined, flags: ServerFlags) => printNewLink(connect(flags), name))
}
