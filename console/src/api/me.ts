import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { Administrator, Answers } from './answers.ts'
import { queryClient } from './query-client.ts'
import { keepCsrfToken, request } from './request.ts'

export type { Administrator }

/**
 * The role of an administrator: an owner can do everything; an administrator everything in its apps; a reader can view its apps.
 */
export type Role = Administrator['role']

export type Me = Extract<Answers['GET /admin/me'], { readonly sessionId: string }>

/** The logged in administrator. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Me> => {
    const me = await request('GET', '/admin/me', { signal })
    // The console never sends the administrator token, which belongs to no administrator.
    if (!('sessionId' in me)) throw new Error('The request has no session.')
    keepCsrfToken(me.csrfToken)
    return me
  },
})

export interface Rights {
  readonly isOwner: boolean
  /** Returns whether data and settings of an app can be changed. */
  canChange(appId: string): boolean
}

/** Returns the administrator's permissions. The server enforces them; here they decide which controls are shown. */
export function useRights(): Rights {
  const { role, apps } = useSuspenseQuery(meQuery).data.administrator
  return {
    isOwner: role === 'owner',
    canChange: (appId) => role === 'owner' || (role === 'administrator' && (apps === null || apps.includes(appId))),
  }
}

/** @returns whether a one-time code is required in addition */
export async function login(name: string, password: string, code?: string): Promise<{ needsCode: boolean }> {
  const answer = await request('POST', '/admin/login', {
    body: { name, password, ...(code ? { code } : {}) },
  })
  if ('needsCode' in answer) return { needsCode: true }
  await entered(answer.csrfToken)
  return { needsCode: false }
}

/** Logs in by a link, which works once. */
export async function enterByLink(token: string): Promise<void> {
  const { csrfToken } = await request('POST', '/admin/login/link', { body: { token } })
  await entered(csrfToken)
}

/** Logs out. Cached data stays until its pages are left, because they would reload it without a session. */
export async function logout(): Promise<void> {
  await request('POST', '/admin/logout', { body: {} })
  keepCsrfToken(null)
}

async function entered(csrfToken: string): Promise<void> {
  queryClient.clear()
  keepCsrfToken(csrfToken)
  await queryClient.ensureQueryData(meQuery)
}
