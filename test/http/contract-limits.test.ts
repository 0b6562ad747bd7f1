import { describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../src/api/route.ts'
import { MAX_MEMBERS } from '../../src/messaging/members/add-members.ts'
import { MAX_MENTIONS, MAX_MESSAGE_BYTES } from '../../src/messaging/message.ts'
import { MAX_RECEIVERS } from '../../src/messaging/messages/targeted-messages.ts'
import { MAX_FIELDS } from '../../src/objects/classes/stored-classes.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../src/objects/query-parameters.ts'
import { makeApp } from '../support/app.ts'

const app = await makeApp()
const { limits, push, messaging, files } = (await app.admin('GET', '/settings')).body

/** Maxima of the contract that a client can reach within an hour, or at once. */
const CLASSES = 500
const FIELDS = 300
const PUSH_CALLS = 600
const RECIPIENTS = 1_000_000
const BATCH = 100
const MEGABYTES = 20

/** Returns the maximum of a limit; 0 and null mean no limit. */
const most = (limit: number | null) => limit || Number.POSITIVE_INFINITY
const inHour = ({ second, hour }: { second: number; hour: number }) => Math.min(most(hour), most(second) * 3600)
const inMinute = ({ second, hour }: { second: number; hour: number }) => Math.min(most(hour), most(second) * 60)
const inSecond = ({ second, hour }: { second: number; hour: number }) => Math.min(most(second), most(hour))

describe('no default limit per client is below a limit of the contract', () => {
  const scopes = ['app', 'user', 'address'] as const
  it.each<[what: string, limit: (scope: (typeof scopes)[number]) => number, contract: number]>([
    ['classes of an app', (scope) => inHour(limits.newClasses[scope]), CLASSES],
    ['fields of a class', (scope) => inSecond(limits.newFields[scope]), FIELDS],
    ['pushes in a minute', (scope) => inMinute(limits.pushes[scope]), PUSH_CALLS],
    ['writes of a batch', (scope) => inSecond(limits.writes[scope]), BATCH],
    ['reads of a batch', (scope) => inSecond(limits.reads[scope]), BATCH],
    ['queries of a batch', (scope) => inSecond(limits.queries[scope]), BATCH],
    ['megabytes of one body', (scope) => inSecond(limits.uploadMegabytes[scope]), MEGABYTES],
    ['objects that come into a relation', (scope) => inSecond(limits.writes[scope]), 1000],
    ['members that are told of a message', (scope) => inSecond(limits.deliveries[scope]), 500],
  ])('%s', (_what, limit, contract) => {
    for (const scope of scopes) expect([scope, limit(scope) >= contract]).toEqual([scope, true])
  })
})

it.each<[what: string, limit: number, contract: number]>([
  ['calls of pushes in a minute', push.limits.calls, PUSH_CALLS],
  ['devices that are pushed to in a day', most(push.limits.devicesPerDay), RECIPIENTS],
  ['scheduled pushes', push.limits.scheduled, 1000],
  ['fields of a class', MAX_FIELDS, FIELDS],
  ['bytes of a body', MAX_BODY_BYTES, MEGABYTES * 1024 * 1024],
  ['bytes of a message', MAX_MESSAGE_BYTES, 5 * 1024],
  ['clients that a message mentions', MAX_MENTIONS, 20],
  ['receivers of a targeted message', MAX_RECEIVERS, 20],
  ['members of a conversation', MAX_MEMBERS, 500],
  ['objects of a query', MAX_LIMIT, 1000],
  ['objects of a query that names no limit', DEFAULT_LIMIT, 100],
  ['requests with the master key', inSecond(limits.master), BATCH],
  ['bytes of all files', most(files?.maxTotal ?? 0), Number.POSITIVE_INFINITY],
  ...Object.entries<number | null>(messaging.limits).map(([name, limit]): [string, number, number] => [
    `messaging: ${name}, which the contract gives no number for`,
    most(limit),
    Number.POSITIVE_INFINITY,
  ]),
])('no default is below the contract: %s', (_what, limit, contract) => {
  expect(limit).toBeGreaterThanOrEqual(contract)
})

it('a client creates a class with 300 fields at once, and another one', async () => {
  const body = Object.fromEntries(Array.from({ length: FIELDS }, (_, n) => [`f${n}`, n]))
  for (const className of ['Wide', 'AlsoWide']) {
    const made = await app.request('POST', `/1.1/classes/${className}`, { body })
    expect([made.status, made.body.error]).toEqual([201, undefined])
  }
})
