import { expect, it } from 'vitest'
import type { Notification } from './provider.ts'
import { customKeys, deviceChannel, integer, object, passThroughKeys, vendorKeys, vendorNames } from './vendor-keys.ts'

const isVendors = vendorNames({ pushMode: integer, badge: object })
const content = {
  alert: 'A',
  title: 'T',
  silent: false,
  _notificationChannel: 'news',
  action: 'org.example.OPEN',
  courseId: 'c7',
  pushMode: 1,
  badge: 'Increment',
}
const notification: Notification = { id: 'p', content, expiresAt: 0, prod: 'prod', channel: 'sports' }

it('passes known members in a valid form to the vendor', () => {
  expect(vendorKeys(content, isVendors)).toEqual({ pushMode: 1 })
  expect(vendorKeys({ badge: { add_num: 1 }, pushMode: 'x', constructor: 1 }, isVendors)).toEqual({
    badge: { add_num: 1 },
  })
})

it('passes custom keys and the push channel to the app', () => {
  const own = { action: 'org.example.OPEN', courseId: 'c7', badge: 'Increment' }
  expect(customKeys(notification, isVendors)).toEqual({ ...own, _channel: 'sports' })
  expect(customKeys({ ...notification, channel: null }, isVendors)).toEqual(own)
})

it('passes through the same data as the built-in channel', () => {
  const { pushMode: _, ...rest } = content
  const added = { _channel: 'sports', _expiration_time: '1970-01-01T00:00:00.000Z' }
  expect(passThroughKeys(notification, isVendors)).toEqual({ ...rest, ...added })
  expect(passThroughKeys({ ...notification, channel: null, expiresAt: null }, isVendors)).toEqual(rest)
})

it('accepts only a text as notification channel', () => {
  expect(deviceChannel(notification)).toBe('news')
  expect(deviceChannel({ ...notification, content: { _notificationChannel: 7 } })).toBeUndefined()
})
