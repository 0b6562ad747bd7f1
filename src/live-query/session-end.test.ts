import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { breakableBus } from '../../test/support/breakable-bus.ts'
import { makeMessaging } from '../../test/support/messaging.ts'
import { schemaOf } from '../apps/apps.ts'
import { ANONYMOUS } from '../objects/access/caller.ts'
import { openLiveQueries } from './open.ts'
import { endQueriesOf } from './query-table.ts'
import { subscribe } from './subscribe.ts'
import { logIn } from './subscriber-login.ts'
import { Watcher } from './watcher.ts'

const { messaging } = await makeMessaging()
const { objects } = messaging
const schema = schemaOf(objects.appId)

it('checks in the database whether a session has ended while the node is disconnected from others', async () => {
  const { bus, breakOff } = breakableBus()
  const live = await openLiveQueries({
    objects,
    secret: () => 'a secret',
    schema,
    bus,
    alone: false,
    rolesOf: async () => [],
    holdSession: async () => true,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => live.stop())
  const received = new Map<string, number>()
  const users = { gone: 'u1', there: 'u2', nobody: null }
  for (const [id, userId] of Object.entries(users)) {
    await logIn(
      live,
      { id, notify: () => void received.set(id, (received.get(id) ?? 0) + 1), displace: () => {} },
      () => {},
    )
    const caller = userId === null ? ANONYMOUS : { master: false, userId, grants: [userId] }
    await subscribe(live, { id, query: { className: 'Watched' } }, caller, 'a token')
  }
  const watcher = new Watcher(() => live)
  const time = '2026-01-01 00:00:00+00'
  const after = { id: 'i', created_at: time, updated_at: time, acl: null, data: '{}' }
  const watched = await objects.classes.ensureClass('Watched')
  const write = () => watcher.written({ schema: watched, before: null, after, updatedKeys: [] })
  write()
  await expect.poll(() => [...received.keys()].sort()).toEqual(['gone', 'nobody', 'there'])
  breakOff()
  // As another node does it whose notification is lost.
  await endQueriesOf(objects.database, schema, 'u1')
  write()
  await expect.poll(() => [received.get('nobody'), received.get('there')]).toEqual([2, 2])
  expect(received.get('gone')).toBe(1)
})
