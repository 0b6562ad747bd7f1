import { infiniteQueryOptions } from '@tanstack/react-query'
import type { OpenApp } from '../../api/use-app.ts'

/** An installation. Members hidden from readers are missing; clients can store values of any type. */
export interface Device {
  readonly objectId: string
  /** ISO */
  readonly createdAt: string
  readonly updatedAt: string
  readonly [field: string]: unknown
}

export const DEVICE_TYPES = ['android', 'ios', 'macos', 'watchos', 'tvos'] as const

/** The search; empty texts are ignored. */
export interface DeviceSearch {
  readonly type: string
  readonly channel: string
  /** An object id, an installation id or a token */
  readonly id: string
}

const PAGE = 50

/** Devices, most recently active first. */
export function devicesQuery(app: OpenApp, search: DeviceSearch) {
  return infiniteQueryOptions({
    queryKey: ['apps', app.appId, 'devices', search],
    queryFn: async ({ pageParam, signal }) => {
      const where = { $and: [...conditionsOf(app, search), ...(pageParam ? beyond(pageParam) : [])] }
      const query = { where, order: '-updatedAt', limit: PAGE }
      return (await app.call<{ results: Device[] }>('GET', '/1.1/installations', { query, signal })).results
    },
    initialPageParam: null as Device | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : page.at(-1)!),
  })
}

function conditionsOf({ canChange }: OpenApp, { type, channel, id }: DeviceSearch): object[] {
  const conditions: object[] = [{}]
  if (type) conditions.push({ deviceType: type })
  if (channel) conditions.push({ channels: channel })
  // Readers cannot see tokens or filter by them.
  const names = canChange ? ['objectId', 'installationId', 'deviceToken', 'registrationId'] : ['objectId']
  if (id) conditions.push({ $or: names.map((name) => ({ [name]: id })) })
  return conditions
}

function beyond({ updatedAt, objectId }: Device): object[] {
  const date = { __type: 'Date', iso: updatedAt }
  return [{ updatedAt: { $lte: date } }, { $or: [{ updatedAt: { $lt: date } }, { objectId: { $lt: objectId } }] }]
}
