import { queryOptions } from '@tanstack/react-query'
import type { Administrator, Role } from '../../api/me.ts'
import { path, request } from '../../api/request.ts'

export interface EntryLink {
  readonly token: string
  /** ISO */
  readonly expiresAt: string
}

export interface AdministratorFields {
  readonly name: string
  readonly role: Role
  readonly apps: readonly string[] | null
}

export const administratorsQuery = queryOptions({
  queryKey: ['administrators'],
  queryFn: async ({ signal }) =>
    (await request<{ administrators: Administrator[] }>('GET', '/admin/administrators', { signal })).administrators,
})

export function addAdministrator(fields: AdministratorFields) {
  return request<{ administrator: Administrator; link: EntryLink }>('POST', '/admin/administrators', { body: fields })
}

export function changeAdministrator(id: string, fields: AdministratorFields) {
  return request<Administrator>('PATCH', path`/admin/administrators/${id}`, { body: fields })
}

export function removeAdministrator(id: string) {
  return request('DELETE', path`/admin/administrators/${id}`)
}

/** A link in place of a forgotten password: with its use the password and the sessions end. */
export async function makeLink(id: string): Promise<EntryLink> {
  return (await request<{ link: EntryLink }>('POST', path`/admin/administrators/${id}/link`, { body: {} })).link
}
