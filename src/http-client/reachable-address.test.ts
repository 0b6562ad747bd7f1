import type { lookup } from 'node:dns'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  allowPrivateAddresses,
  isPublicAddress,
  isReachable,
  lookupReachable,
  PRIVATE_ADDRESS,
} from './reachable-address.ts'

beforeEach(() => allowPrivateAddresses([]))
afterEach(() => allowPrivateAddresses(['loopback']))

it.each([
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
  '2606:4700::1',
])('accepts %s as public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each([
  ['no host', '0.0.0.0'],
  ['no host', '::'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['loopback', '::1'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['private', 'fc00::1'],
  ['private', 'fd12:3456::1'],
  ['link-local', '169.254.1.1'],
  ['link-local', 'fe80::1'],
  ['link-local', 'fe80::1%eth0'],
  ['shared by customers of a provider', '100.64.0.1'],
  ['metadata', '169.254.169.254'],
  ['metadata', '100.100.100.200'],
  ['metadata', '192.0.0.192'],
  ['metadata', '168.63.129.16'],
  ['metadata', 'fd00:ec2::254'],
  ['for many', '224.0.0.1'],
  ['for many', '255.255.255.255'],
  ['for many', 'ff02::1'],
  ['for documents', '192.0.2.1'],
  ['for documents', '2001:db8::1'],
  ['IPv4 in IPv6', '::ffff:10.0.0.1'],
  ['IPv4 in IPv6', '::ffff:a00:1'],
  ['IPv4 in IPv6', '64:ff9b::a00:1'],
  ['IPv4 in IPv6', '2002:a00:1::1'],
  ['IPv4 in IPv6', '2001:0:a00:1::1'],
  ['no address', 'localhost'],
  ['no address', ''],
])('%s: rejects %s as not public', (_, address) => {
  expect(isPublicAddress(address)).toBe(false)
})

/** Returns the first argument of the callback, or the address a socket would connect to, for a name with these addresses. */
function found(addresses: readonly string[], all: boolean): Promise<unknown> {
  const resolve = ((_name: string, _options: object, callback: (error: null, all: object[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof lookup
  return new Promise((done) => {
    lookupReachable('app', resolve)('example.org', { all }, (error, address) => done(error?.message ?? address))
  })
}

it('resolves a name to its addresses when all are public', async () => {
  const both = ['1.1.1.1', '2606:4700::1']
  expect(await found(both, true)).toEqual([
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ])
  expect(await found(both, false)).toBe('1.1.1.1')
})

it.each([[['10.0.0.1']], [['1.1.1.1', '10.0.0.1']], [[]]])('fails for a name with %j', async (addresses) => {
  expect(await found(addresses, true)).toBe(PRIVATE_ADDRESS)
  expect(await found(addresses, false)).toBe(PRIVATE_ADDRESS)
})

it.each<[address: string, allowed: readonly string[], reached: readonly string[]]>([
  ['1.1.1.1', [], ['any', 'app', 'engine']],
  ['127.0.0.1', [], ['any', 'engine']],
  ['::1', [], ['any', 'engine']],
  ['::ffff:127.0.0.1', [], ['any', 'engine']],
  ['10.1.2.3', [], ['any']],
  ['169.254.169.254', [], ['any']],
  ['10.1.2.3', ['10.1.0.0/16'], ['any', 'app', 'engine']],
  ['10.2.2.3', ['10.1.0.0/16'], ['any']],
  ['127.0.0.1', ['loopback'], ['any', 'app', 'engine']],
  ['192.168.0.5', ['uniquelocal'], ['any', 'app', 'engine']],
  ['169.254.169.254', ['uniquelocal'], ['any']],
])('%s, with %j allowed, is reached for %j', (address, allowed, reached) => {
  allowPrivateAddresses(allowed)
  expect((['any', 'app', 'engine'] as const).filter((reach) => isReachable(reach, address))).toEqual(reached)
})
