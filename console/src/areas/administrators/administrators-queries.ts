import { queryOptions } from '@tanstack/react-query'
import type { EntryLink } from '../../api/answers.ts'
import type { Role } from '../../api/me.ts'
import { request } from '../../api/request.ts'

export type { EntryLink }

export interface AdministratorFields {
  readonly name: string
  readonly role: Role
  readonly apps: readonly string[] | null
}

export const administratorsQuery = queryOptions({
  queryKey: ['administrators'],
  queryFn: async ({ signal }) => (await request('GET', '/admin/administrators', { signal })).administrators,
})

export function addAdministrator(fields: AdministratorFields) {
  return request('POST', '/admin/administrators', { body: fields })
}

export function changeAdministrator(id: string, fields: AdministratorFields) {
  return request('PATCH', '/admin/administrators/{id}', { params: { id }, body: fields })
}

export function removeAdministrator(id: string) {
  return request('DELETE', '/admin/administrators/{id}', { params: { id } })
}

/** Creates a link that replaces a forgotten password: using it removes the password and ends the sessions. */
export async function makeLink(id: string): Promise<EntryLink> {
  return (await request('POST', '/admin/administrators/{id}/link', { params: { id }, body: {} })).link
}
