import { expect, it } from 'vitest'
import { withoutSecrets, withoutShownSecrets } from './settings-secrets.ts'

const paths = ['sms.key', 'platforms.*.secret']
const settings = {
  sms: { key: 'k', id: 'i' },
  platforms: { a: { secret: 's', url: 'u' }, b: { url: 'v' } },
  key: 'not this one',
}

it('secrets are shown as true, wherever their path leads', () => {
  expect(withoutSecrets(settings, paths)).toEqual({
    sms: { key: true, id: 'i' },
    platforms: { a: { secret: true, url: 'u' }, b: { url: 'v' } },
    key: 'not this one',
  })
})

it('what was read can be written back: true leaves a secret as it is', () => {
  expect(withoutShownSecrets(withoutSecrets(settings, paths), paths)).toEqual({
    sms: { id: 'i' },
    platforms: { a: { url: 'u' }, b: { url: 'v' } },
    key: 'not this one',
  })
})

it('new secrets and removals go through', () => {
  const patch = { sms: { key: 'new' }, platforms: { a: { secret: null } } }
  expect(withoutShownSecrets(patch, paths)).toEqual(patch)
})

it('settings without the path, or with something else there, stay as they are', () => {
  expect(withoutSecrets({ sms: 'text', platforms: [] }, paths)).toEqual({ sms: 'text', platforms: [] })
})
