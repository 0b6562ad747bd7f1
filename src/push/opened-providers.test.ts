import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { OpenedProviders } from './opened-providers.ts'
import { PROVIDERS } from './providers/all.ts'
import { pushSettings } from './push-settings.ts'

const mi = { appSecret: 'secret', packageName: 'com.example' }
const opened: OpenedProviders[] = []

/** Returns providers with settings that can be changed. */
function providersOf(input: object) {
  let settings = pushSettings.parse(input)
  const providers = new OpenedProviders(() => settings, pino({ level: 'silent' }))
  opened.push(providers)
  const change = (input: object) => {
    settings = pushSettings.parse(input)
  }
  return { providers, change }
}

afterEach(() => {
  for (const providers of opened.splice(0)) providers.close()
})

it('gives each provider a unique name, vendor spelling and success counter', () => {
  const spelled = PROVIDERS.flatMap(({ vendor }) => vendor ?? [])
  for (const names of [PROVIDERS.map(({ name }) => name), spelled, PROVIDERS.map(({ successes }) => successes)])
    expect(new Set(names).size).toBe(names.length)
})

it('has no providers without credentials', () => {
  const { providers } = providersOf({})
  expect(PROVIDERS.filter(({ name }) => providers.find(name, null))).toEqual([])
  expect(providers.hasVendors).toBe(false)
})

it('has vendor credentials by profile, and none for a profile with the name of an object property', () => {
  const { providers } = providersOf({ mi: { special: mi } })
  expect(providers.find('mi', 'special')).not.toBeNull()
  expect(providers.find('mi', null)).toBeNull()
  expect(providers.find('mi', 'constructor')).toBeNull()
  expect(providers.find('oppo', 'special')).toBeNull()
  expect(providers.hasVendors).toBe(true)
})

it('uses APNs keys for every profile, and does not count APNs as a vendor', () => {
  const { providers } = providersOf({ apns: { keys: { TEAM: { keyId: 'KEY', privateKey: 'pem' } } } })
  expect(providers.find('apns', null)).not.toBeNull()
  expect(providers.find('apns', 'any')).not.toBeNull()
  expect(providers.hasVendors).toBe(false)
})

it('keeps a provider open until its credentials change', () => {
  const { providers, change } = providersOf({ mi: { _default: mi } })
  const first = providers.find('mi', null)
  change({ mi: { _default: mi, other: mi }, limits: { calls: 1 } })
  expect(providers.find('mi', null)).toBe(first)
  change({ mi: { _default: { ...mi, appSecret: 'changed' } } })
  expect(providers.find('mi', null)).not.toBe(first)
})
