import { Command } from 'commander'
import type { EntryLink } from '../administrators/links.ts'
import { allAdministrators, findAdministrator, printLink, printNewLink } from './administrator-link.ts'
import { connect, type ServerFlags, withServerFlags } from './management.ts'

type AddFlags = ServerFlags & { readonly role: string; readonly app?: string[] }

/** `homeport administrator …` manages the administrators of a running server. */
export function administratorCommand(): Command {
  const administrator = new Command('administrator').description('Manage the administrators of the console.')
  const command = (usage: string, description: string) =>
    withServerFlags(administrator.command(usage).description(description))
  command('list', 'List all administrators.').action(async (flags: ServerFlags) => {
    for (const { name, role, apps } of await allAdministrators(connect(flags)))
      process.stdout.write(`${role.padEnd(14)}${name}${apps === null ? '' : `  (${apps.join(', ')})`}\n`)
  })
  command('add <name>', 'Add an administrator and print a one-time login link.')
    .option('--role <role>', 'owner, administrator or reader', 'administrator')
    .option('--app <appId...>', 'apps that the administrator can access (default: all)')
    .action(async (name: string, flags: AddFlags) => {
      const server = connect(flags)
      const body = { name, role: flags.role, apps: flags.app ?? null }
      const { link } = (await server.request('POST', '/admin/administrators', body)) as { link: EntryLink }
      printLink(server, name, link)
    })
  command(
    'link [name]',
    'Print a one-time login link for an administrator (default: the owner), for example after a forgotten password.',
  ).action((name: string | undefined, flags: ServerFlags) => printNewLink(connect(flags), name))
  command('remove <name>', 'Remove an administrator and end their sessions.').action(
    async (name: string, flags: ServerFlags) => {
      const server = connect(flags)
      const { id } = await findAdministrator(server, name)
      await server.request('DELETE', `/admin/administrators/${id}`)
    },
  )
  return administrator
}
