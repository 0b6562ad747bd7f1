import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { request } from '../api/request.ts'
import { escaped } from '../areas/data/filters/filter-tree.ts'
import type { Entry } from './palette-entry.ts'

/** Delay after the last key press before the request, in milliseconds. */
const PAUSE_MS = 200
/** Shorter texts are not ids, and match too many names. */
const MIN_NAME = 2
const OBJECT_ID = /^[A-Za-z0-9_-]{6,128}$/
const MAX_USERS = 6
const KNOWN_BY = ['username', 'email', 'mobilePhoneNumber', 'objectId'] as const

interface FoundRecords {
  readonly users: readonly Entry[]
  readonly objects: readonly Entry[]
  readonly isSearching: boolean
  readonly error: Error | null
}

/** Returns users of an app with a matching prefix of name, address, number or id, and objects with that id. */
export function useFoundRecords(appId: string | null, text: string): FoundRecords {
  const navigate = useNavigate()
  const typed = text.trim()
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const users = useQuery({
    queryKey: ['apps', appId, 'palette', 'users', search],
    enabled: appId !== null && search.length >= MIN_NAME,
    queryFn: async ({ signal }) => {
      const begins = { $regex: `^${escaped(search)}` }
      const where = { $or: KNOWN_BY.map((field) => ({ [field]: begins })) }
      const body = { where, keys: KNOWN_BY.join(','), limit: MAX_USERS }
      return (
        await request('POST', '/admin/apps/{appId}/classes/{className}/find', {
          params: { appId: appId!, className: '_User' },
          body,
          signal,
        })
      ).results
    },
  })
  const classes = useQuery({
    queryKey: ['apps', appId, 'palette', 'objects', search],
    enabled: appId !== null && OBJECT_ID.test(search),
    queryFn: async ({ signal }) =>
      (
        await request('GET', '/admin/apps/{appId}/objects/{objectId}', {
          params: { appId: appId!, objectId: search },
          signal,
        })
      ).classes,
  })
  if (appId === null) return { users: [], objects: [], isSearching: false, error: null }
  return {
    users: (users.data ?? []).map((user) => {
      const known = KNOWN_BY.map((field) => user[field]).filter((value) => typeof value === 'string')
      const [name = user.objectId] = known
      return {
        key: `user ${user.objectId}`,
        label: known.length > 2 ? `${name} · ${known[1]}` : name,
        also: known,
        act: () => void navigate({ to: '/apps/$appId/users', params: { appId }, search: { user: user.objectId } }),
      }
    }),
    objects: (classes.data ?? []).map((className) => ({
      key: `object ${className} ${search}`,
      label: `${className} ${search}`,
      also: [search],
      act: () =>
        void navigate({
          to: '/apps/$appId/data/$className',
          params: { appId, className },
          search: { open: `${className}/${search}` },
        }),
    })),
    isSearching: users.isFetching || classes.isFetching || (search !== typed && typed.length >= MIN_NAME),
    error: users.error ?? classes.error,
  }
}
