import { Command } from 'commander'
import type { Administrator } from '../administrators/administrator.ts'
import type { EntryLink } from '../administrators/links.ts'
import { connect, type Management, type ServerFlags, withServerFlags } from './management.ts'

type AddFlags = ServerFlags & { readonly role: string; readonly app?: string[] }

/** `homeport administrator …` manages the administrators of a running server. */
export function administratorCommand(): Command {
  const administrator = new Command('administrator').description('Manage the administrators of the console.')
  const command = (usage: string, description: string) =>
    withServerFlags(administrator.command(usage).description(description))
  command('list', 'List all administrators.').action(async (flags: ServerFlags) => {
    for (const { name, role, apps } of await all(connect(flags)))
      process.stdout.write(`${role.padEnd(14)}${name}${apps === null ? '' : `  (${apps.join(', ')})`}\n`)
  })
  command('add <name>', 'Add an administrator and print a one-time login link.')
    .option('--role <role>', 'owner, administrator or reader', 'administrator')
    .option('--app <appId...>', 'apps that the administrator can access (default: all)')
    .action(async (name: string, flags: AddFlags) => {
      const server = connect(flags)
      const body = { name, role: flags.role, apps: flags.app ?? null }
      const { link } = (await server.request('POST', '/admin/administrators', body)) as { link: EntryLink }
      show(server, link)
    })
  command(
    'link [name]',
    'Print a one-time login link for an administrator, for example after a forgotten password.',
  ).action(async (name: string | undefined, flags: ServerFlags) => {
    const server = connect(flags)
    const { id } = await find(server, name)
    const { link } = (await server.request('POST', `/admin/administrators/${id}/link`, {})) as { link: EntryLink }
    show(server, link)
  })
  command('remove <name>', 'Remove an administrator and end their sessions.').action(
    async (name: string, flags: ServerFlags) => {
      const server = connect(flags)
      const { id } = await find(server, name)
      await server.request('DELETE', `/admin/administrators/${id}`)
    },
  )
  return administrator
}

async function all({ request }: Management): Promise<readonly Administrator[]> {
  return ((await request('GET', '/admin/administrators')) as { administrators: Administrator[] }).administrators
}

/** @throws Error with one line for the user when the name is not unique or unknown */
async function find(server: Management, name: string | undefined): Promise<Administrator> {
  const administrators = await all(server)
  const meant = name === undefined ? administrators : administrators.filter((known) => known.name === name)
  if (meant.length === 1) return meant[0]!
  const names = administrators.map((known) => `'${known.name}'`).join(', ')
  throw new Error(`name one of the administrators: ${names || 'none exists yet'}`)
}

function show({ url }: Management, { token, expiresAt }: EntryLink): void {
  process.stdout.write(`${url}/console/enter#${token}\n`)
  process.stdout.write(`The link works once, until ${expiresAt}.\n`)
}
