import { queryOptions } from '@tanstack/react-query'
import type { MoveReport } from '../../../../src/moves/move-report.ts'
import type { Notice } from '../../../../src/notices/notice.ts'
import type {
  Answers,
  Bodies,
  MoveFile,
  MoveOptions,
  MoveOutcome,
  MoveSource,
  Move as ShownMove,
} from '../../api/answers.ts'
import { request } from '../../api/request.ts'

export type Source = MoveSource

export const ACTIONS = ['try', 'bring', 'verify'] as const
export type Action = (typeof ACTIONS)[number]

export type { MoveOptions }

/** The result of an action. The API schema of reports and failures contains only their common members. */
export interface Outcome extends Omit<MoveOutcome, 'report' | 'failure'> {
  /** null without a report */
  readonly report?: MoveReport | null
  /** The reason for a failure; absent in results of earlier versions. */
  readonly failure?: Notice | null
}

export interface Move extends Omit<ShownMove, 'outcomes'> {
  readonly outcomes: { readonly [action in Action]?: Outcome }
}

export function movesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'moves'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/moves', { params: { appId }, signal })).moves as readonly Move[],
    refetchInterval: 10_000,
  })
}

export function moveQuery(appId: string, moveId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'moves', moveId],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/moves/{moveId}', { params: { appId, moveId }, signal })) as Move,
    refetchInterval: ({ state }) => (state.data?.action ? 2_000 : 10_000),
  })
}

/** Checks whether an app can be moved from a URL. Responds within five seconds. */
export function checkSource(
  appId: string,
  source: Bodies['POST /admin/apps/{appId}/moves/check'],
): Promise<Answers['POST /admin/apps/{appId}/moves/check']> {
  return request('POST', '/admin/apps/{appId}/moves/check', { params: { appId }, body: source })
}

/** @param masterKey of a running app */
export async function createMove(appId: string, source: Source, masterKey?: string): Promise<Move> {
  const body = { source, masterKey }
  return (await request('POST', '/admin/apps/{appId}/moves', { params: { appId }, body })) as Move
}

export function beginAction(
  appId: string,
  moveId: string,
  body: Bodies['POST /admin/apps/{appId}/moves/{moveId}/begin'],
): Promise<ShownMove> {
  return request('POST', '/admin/apps/{appId}/moves/{moveId}/begin', { params: { appId, moveId }, body })
}

export function stopAction(appId: string, moveId: string): Promise<ShownMove> {
  return request('POST', '/admin/apps/{appId}/moves/{moveId}/stop', { params: { appId, moveId }, body: {} })
}

/** Ends following, after a last copy of new data and removal of deleted data. */
export function finishFollowing(appId: string, moveId: string): Promise<ShownMove> {
  return request('POST', '/admin/apps/{appId}/moves/{moveId}/finish', { params: { appId, moveId }, body: {} })
}

export function removeMove(appId: string, moveId: string): Promise<unknown> {
  return request('DELETE', '/admin/apps/{appId}/moves/{moveId}', { params: { appId, moveId } })
}

/** Returns whether all bytes of the files are uploaded. */
export function isUploaded({ source, received }: Move): boolean {
  return filesOf(source).every(({ size }, n) => received?.[n] === size)
}

/** Returns the files uploaded for a source. */
export function filesOf(source: Source): readonly MoveFile[] {
  if (source.kind === 'files') return source.files
  return source.users ? [source.users] : []
}
