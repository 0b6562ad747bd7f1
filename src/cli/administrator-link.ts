import type { Administrator } from '../administrators/administrator.ts'
import type { EntryLink } from '../administrators/links.ts'
import type { Management } from './management.ts'

export async function allAdministrators({ request }: Management): Promise<readonly Administrator[]> {
  return ((await request('GET', '/admin/administrators')) as { administrators: Administrator[] }).administrators
}

/**
 * Finds an administrator by name. Without a name, it is the only owner, or the only administrator.
 * @throws Error with one line for the user when the name is unknown or required
 */
export async function findAdministrator(server: Management, name: string | undefined): Promise<Administrator> {
  const administrators = await allAdministrators(server)
  const owners = administrators.filter(({ role }) => role === 'owner')
  const meant = name === undefined ? owners : administrators.filter((known) => known.name === name)
  if (meant.length === 1) return meant[0]!
  const names = administrators.map((known) => `'${known.name}'`).join(', ')
  throw new Error(`name one of the administrators: ${names || 'none exists yet'}`)
}

/**
 * Creates a link for one login, and prints it.
 * @throws Error with one line for the user
 */
export async function printNewLink(server: Management, name: string | undefined): Promise<void> {
  const found = await findAdministrator(server, name)
  const { link } = (await server.request('POST', `/admin/administrators/${found.id}/link`, {})) as { link: EntryLink }
  printLink(server, found.name, link)
}

export function printLink({ url }: Management, name: string, { token, expiresAt }: EntryLink): void {
  process.stdout.write(`${url}/console/enter#${token}\n`)
  process.stdout.write(
    `The link logs in as '${name}' once, until ${expiresAt}, and replaces the password and one-time codes of '${name}'.\n`,
  )
}
