import { queryOptions } from '@tanstack/react-query'
import type { MoveReport } from '../../../../src/moves/move-report.ts'
import type { Notice } from '../../../../src/notices/notice.ts'
import { path, send as request } from '../../api/request.ts'

interface SourceFile {
  readonly name: string
  /** Bytes */
  readonly size: number
}

export type Source =
  | { readonly kind: 'files'; readonly files: readonly SourceFile[] }
  | {
      readonly kind: 'app'
      readonly url: string
      readonly appId: string
      /** An export with the passwords of its users. */
      readonly users?: SourceFile | undefined
    }

export const ACTIONS = ['try', 'bring', 'verify'] as const
export type Action = (typeof ACTIONS)[number]

export interface MoveOptions {
  readonly onConflict?: 'skip' | 'overwrite' | 'newer'
  readonly again?: boolean
  readonly strict?: boolean
  readonly rewriteUrls?: boolean
  readonly rewriteFields?: readonly string[] | undefined
  readonly oldDomains?: readonly string[] | undefined
  readonly rate?: number
  readonly parallel?: number | undefined
  readonly nightHours?: string | undefined
  readonly dayRate?: number | undefined
  readonly files?: boolean
  readonly filesFrom?: string | undefined
  readonly passwords?: boolean
  readonly messages?: boolean
  readonly chatDetails?: boolean
  readonly compareIds?: boolean
  readonly follow?: boolean
  readonly until?: string | undefined
  readonly every?: number
  readonly allowManyDeletions?: boolean
  readonly withoutAcl?: boolean
}

interface MoveProgress {
  readonly part: string | null
  readonly done: number
  readonly total: number | null
  readonly records: number
  readonly rejected: number
  readonly since: string
  /** What is new is followed: when it was last looked for. */
  readonly followedAt?: string
}

export interface Outcome {
  readonly result: 'complete' | 'incomplete' | 'failed' | 'stopped'
  readonly text: string
  /** null where it came to none */
  readonly report?: MoveReport | null
  /** Why the command has failed; absent in outcomes of earlier versions. */
  readonly failure?: Notice | null
  readonly at: string
  readonly hasRejected: boolean
}

export interface Move {
  readonly id: string
  readonly source: Source
  readonly hasKey: boolean
  readonly received: readonly number[] | null
  readonly action: Action | null
  readonly options: MoveOptions
  readonly progress: MoveProgress | null
  readonly outcomes: { readonly [action in Action]?: Outcome }
  readonly createdAt: string
  readonly changedAt: string
}

export function movesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'moves'],
    queryFn: async ({ signal }) =>
      (await request<{ moves: Move[] }>('GET', path`/admin/apps/${appId}/moves`, { signal })).moves,
    refetchInterval: 10_000,
  })
}

export function moveQuery(appId: string, moveId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'moves', moveId],
    queryFn: ({ signal }) => request<Move>('GET', path`/admin/apps/${appId}/moves/${moveId}`, { signal }),
    refetchInterval: ({ state }) => (state.data?.action ? 2_000 : 10_000),
  })
}

export type SourceVerdict =
  | 'ok'
  | 'unknownHost'
  | 'unreachable'
  | 'timeout'
  | 'redirect'
  | 'notAnApi'
  | 'refused'
  | 'failing'

/** Whether an app can be moved from an address. The answer is here within five seconds. */
export function checkSource(
  appId: string,
  source: { readonly url: string; readonly appId: string; readonly masterKey: string },
): Promise<{ readonly verdict: SourceVerdict; readonly reason: string | null }> {
  return request('POST', path`/admin/apps/${appId}/moves/check`, { body: source })
}

/** @param masterKey of an app that runs */
export function createMove(appId: string, source: Source, masterKey?: string): Promise<Move> {
  return request('POST', path`/admin/apps/${appId}/moves`, { body: { source, masterKey } })
}

export function beginAction(
  appId: string,
  moveId: string,
  asked: { readonly action: Action; readonly options: MoveOptions; readonly masterKey?: string | undefined },
): Promise<Move> {
  return request('POST', path`/admin/apps/${appId}/moves/${moveId}/begin`, { body: asked })
}

export function stopAction(appId: string, moveId: string): Promise<Move> {
  return request('POST', path`/admin/apps/${appId}/moves/${moveId}/stop`, { body: {} })
}

/** Ends following, with a last look at what is new and what was deleted. */
export function finishFollowing(appId: string, moveId: string): Promise<Move> {
  return request('POST', path`/admin/apps/${appId}/moves/${moveId}/finish`, { body: {} })
}

export function removeMove(appId: string, moveId: string): Promise<unknown> {
  return request('DELETE', path`/admin/apps/${appId}/moves/${moveId}`)
}

/** Whether all bytes of the files are here. */
export function isWhole({ source, received }: Move): boolean {
  return filesOf(source).every(({ size }, n) => received?.[n] === size)
}

/** The files that are uploaded for a source. */
export function filesOf(source: Source): readonly SourceFile[] {
  if (source.kind === 'files') return source.files
  return source.users ? [source.users] : []
}
