import { expect, it } from 'vitest'
import { KEYS } from '../../test/support/stand-in-engine.ts'
import { hookHeaders, metadataHeaders } from './engine-headers.ts'

const ofClient = (address?: string) => {
  const { Forwarded, 'X-Real-IP': real, 'X-Forwarded-For': forwardedFor } = hookHeaders(KEYS, true, address)
  return [real, forwardedFor, Forwarded]
}

it('calls a hook with the app key and the hook key, never with the master key', () => {
  const headers = hookHeaders(KEYS, true, '203.0.113.7')
  expect(headers).toMatchObject({ 'X-LC-Id': KEYS.id, 'X-LC-Key': KEYS.appKey, 'X-LC-Hook-Key': KEYS.hookKey })
  expect(JSON.stringify(headers)).not.toContain(KEYS.masterKey)
})

it('requests metadata with the master key in both headers', () => {
  const headers = metadataHeaders(KEYS, true)
  expect(headers).toMatchObject({
    'X-LC-Id': KEYS.id,
    'X-LC-Key': `${KEYS.masterKey},master`,
    'X-AVOSCloud-Master-Key': KEYS.masterKey,
  })
})

it('sends the environment, and HTTPS as the protocol of the client', () => {
  expect(hookHeaders(KEYS, true)).toMatchObject({ 'X-LC-Prod': '1', 'X-Forwarded-Proto': 'https' })
  expect(metadataHeaders(KEYS, false)).toMatchObject({ 'X-LC-Prod': '0', 'X-Forwarded-Proto': 'https' })
})

it.each([
  ['an IPv4 address', '203.0.113.7', '203.0.113.7', 'for=203.0.113.7;proto=https'],
  ['an IPv4 address in the form of IPv6', '::ffff:203.0.113.7', '203.0.113.7', 'for=203.0.113.7;proto=https'],
  ['an IPv6 address, which the Node engine cannot read in Forwarded', '2001:db8::1', '2001:db8::1', undefined],
])('sends the address of the client: %s', (_, address, real, forwarded) => {
  expect(ofClient(address)).toEqual([real, real, forwarded])
})

it.each([undefined, '', 'unknown', '203.0.113.7\r\nX-LC-Key: mine', '203.0.113.7, 10.0.0.1'])(
  'omits an invalid address: %j',
  (address) => {
    expect(ofClient(address)).toEqual([undefined, undefined, undefined])
  },
)
