import { queryOptions } from '@tanstack/react-query'
import type { Answers } from '../../api/answers.ts'
import { request } from '../../api/request.ts'

/** The backups of a node, newest first, and the state of their target. Sizes in bytes. */
export type Backups = Answers['GET /admin/backups']

export type Backup = Backups['backups'][number]

export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => request('GET', '/admin/backups', { signal }),
  refetchInterval: ({ state }) => (state.data?.running ? 2_000 : 30_000),
})

export function beginBackup(): Promise<unknown> {
  return request('POST', '/admin/backups', { body: {} })
}
