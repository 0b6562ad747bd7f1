import { expect, it } from 'vitest'
import { checkSubscriberId } from './live-query.ts'
import { isMadeByServer, isMadeFor, makeSubscriberId } from './subscriber-ids.ts'

const signer = { appId: 'app', secret: () => 'master key' }
const id = makeSubscriberId(signer, 'tom')

it('makes unique ids, which are valid ids of subscribers', () => {
  const ids = Array.from({ length: 100 }, () => makeSubscriberId(signer, 'tom'))
  expect(new Set(ids).size).toBe(100)
  for (const one of ids) expect([checkSubscriberId(one), isMadeByServer(one)]).toEqual([one, true])
})

it('does not accept an id of a client as one of the server', () => {
  for (const other of ['', 'lq-', 'subscriber', crypto.randomUUID(), `${id} `, id.slice(1), `x${id}`])
    expect(isMadeByServer(other)).toBe(false)
})

it.each<[string, boolean, string, string, { appId: string; secret(): string }?]>([
  ['the user it was made for', true, id, 'tom'],
  ['another user', false, id, 'jerry'],
  ['any user, when it was made before a login', true, makeSubscriberId(signer, null), 'jerry'],
  ['no user of another app', false, id, 'tom', { ...signer, appId: 'another' }],
  ['no user once the master key has changed', false, id, 'tom', { ...signer, secret: () => 'a new key' }],
  [
    'no user when its random part was changed',
    false,
    id.replace(/^lq-./, (start) => (start === 'lq-_' ? 'lq-A' : 'lq-_')),
    'tom',
  ],
  [
    'no user when its signature was changed',
    false,
    id.replace(/.{8}$/, (end) => (end === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA')),
    'tom',
  ],
  ['no user when a client made it up', false, 'made up', 'tom'],
])('checks whether an id is valid for %s', (_, valid, one, user, by = signer) => {
  expect(isMadeFor(by, one, user)).toBe(valid)
})
