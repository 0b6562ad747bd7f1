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

/** What came of an action. The schema of the API has of reports and failures only what all of them have. */
export interface Outcome extends Omit<MoveOutcome, 'report' | 'failure'> {
  /** null where it came to none */
  readonly report?: MoveReport | null
  /** Why the command has failed; absent in outcomes of earlier versions. */
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

/** Whether an app can be moved from an address. The answer is here within five seconds. */
export function checkSource(
  appId: string,
  source: Bodies['POST /admin/apps/{appId}/moves/check'],
): Promise<Answers['POST /admin/apps/{appId}/moves/check']> {
  return request('POST', '/admin/apps/{appId}/moves/check', { params: { appId }, body: source })
}

/** @param masterKey of an app that runs */
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

/** Ends following, with a last look at what is new and what was deleted. */
export function finishFollowing(appId: string, moveId: string): Promise<ShownMove> {
  return request('POST', '/admin/apps/{appId}/moves/{moveId}/finish', { params: { appId, moveId }, body: {} })
}

export function removeMove(appId: string, moveId: string): Promise<unknown> {
  return request('DELETE', '/admin/apps/{appId}/moves/{moveId}', { params: { appId, moveId } })
}

/** Whether all bytes of the files are here. */
export function isWhole({ source, received }: Move): boolean {
  return filesOf(source).every(({ size }, n) => received?.[n] === size)
}

/** The files that are uploaded for a source. */
export function filesOf(source: Source): readonly MoveFile[] {
  if (source.kind === 'files') return source.files
  return source.users ? [source.users] : []
}
