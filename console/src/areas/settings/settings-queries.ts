import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/request.ts'
import type { JsonObject } from './draft.ts'
import type { Schema } from './schema.ts'

/** Returns the query options for the settings of an app, with defaults, and `true` in place of each secret. */
export function settingsQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'settings'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/settings', { params: { appId }, signal })) as JsonObject,
  })
}

/** Returns the query options for the schema of the settings. The same for all apps of a server version. */
export function settingsSchemaQuery(appId: string) {
  return queryOptions({
    queryKey: ['settings-schema'],
    staleTime: 600_000,
    queryFn: async ({ signal }): Promise<Schema> =>
      request('GET', '/admin/apps/{appId}/settings/schema', { params: { appId }, signal }),
  })
}

/** @param patch RFC 7396 */
export async function patchSettings(appId: string, patch: JsonObject): Promise<JsonObject> {
  const saved = await request('PATCH', '/admin/apps/{appId}/settings', { params: { appId }, body: patch })
  return saved as JsonObject
}
