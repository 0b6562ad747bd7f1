import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { queryClient } from './query-client.ts'
import { keepCsrfToken, request } from './request.ts'

/** What an administrator may do: an owner everything; an administrator all in its apps; a reader looks at its apps. */
export type Role = 'owner' | 'administrator' | 'reader'

export interface Administrator {
  readonly id: string
  readonly name: string
  readonly role: Role
  /** Ids of its apps; null: all */
  readonly apps: readonly string[] | null
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  readonly createdAt: string
}

export interface Me {
  readonly administrator: Administrator
  readonly sessionId: string
}

/** Who uses the console. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Me> => {
    const me = await request<Me & { csrfToken: string }>('GET', '/admin/me', { signal })
    keepCsrfToken(me.csrfToken)
    return me
  },
})

export interface Rights {
  readonly isOwner: boolean
  /** Whether data and settings of an app may be changed. */
  canChange(appId: string): boolean
}

/** What the administrator may do. The server checks it again; here it decides what is offered. */
export function useRights(): Rights {
  const { role, apps } = useSuspenseQuery(meQuery).data.administrator
  return {
    isOwner: role === 'owner',
    canChange: (appId) => role === 'owner' || (role === 'administrator' && (apps === null || apps.includes(appId))),
  }
}

/** @returns whether a one-time code is asked for besides */
export async function login(name: string, password: string, code?: string): Promise<{ needsCode: boolean }> {
  const answer = await request<{ needsCode?: true; csrfToken?: string }>('POST', '/admin/login', {
    body: { name, password, ...(code ? { code } : {}) },
  })
  if (answer.needsCode) return { needsCode: true }
  await entered(answer.csrfToken!)
  return { needsCode: false }
}

/** Comes in by a link, which works once. */
export async function enterByLink(token: string): Promise<void> {
  const { csrfToken } = await request<{ csrfToken: string }>('POST', '/admin/login/link', { body: { token } })
  await entered(csrfToken)
}

/** What is known stays until the pages that show it are left: they would ask for it anew, in vain. */
export async function logout(): Promise<void> {
  await request('POST', '/admin/logout', { body: {} })
  keepCsrfToken(null)
}

async function entered(csrfToken: string): Promise<void> {
  queryClient.clear()
  keepCsrfToken(csrfToken)
  await queryClient.ensureQueryData(meQuery)
}
