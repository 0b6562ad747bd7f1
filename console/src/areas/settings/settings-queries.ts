import { queryOptions } from '@tanstack/react-query'
import { path, request } from '../../api/request.ts'
import type { JsonObject } from './draft.ts'
import type { Schema } from './schema.ts'

/** The settings of an app, with the defaults filled in and `true` in place of each secret. */
export function settingsQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'settings'],
    queryFn: ({ signal }) => request<JsonObject>('GET', path`/admin/apps/${appId}/settings`, { signal }),
  })
}

/** What settings there are. The same for all apps, as long as the server is. */
export function settingsSchemaQuery(appId: string) {
  return queryOptions({
    queryKey: ['settings-schema'],
    staleTime: 600_000,
    queryFn: ({ signal }) => request<Schema>('GET', path`/admin/apps/${appId}/settings/schema`, { signal }),
  })
}

/** @param patch RFC 7396 */
export function patchSettings(appId: string, patch: JsonObject): Promise<JsonObject> {
  return request<JsonObject>('PATCH', path`/admin/apps/${appId}/settings`, { body: patch })
}
