import { expect, it } from 'vitest'
import { withoutSecrets, withoutShownSecrets } from './settings-secrets.ts'

const paths = ['sms.key', 'platforms.*.secret']
const settings = {
  sms: { key: 'k', id: 'i' },
  platforms: { a: { secret: 's', url: 'u' }, b: { url: 'v' } },
  key: 'not this one',
}

it('shows secrets as true at every path', () => {
  expect(withoutSecrets(settings, paths)).toEqual({
    sms: { key: true, id: 'i' },
    platforms: { a: { secret: true, url: 'u' }, b: { url: 'v' } },
    key: 'not this one',
  })
})

it('accepts settings as read: true leaves a secret unchanged', () => {
  expect(withoutShownSecrets(withoutSecrets(settings, paths), paths)).toEqual({
    sms: { id: 'i' },
    platforms: { a: { url: 'u' }, b: { url: 'v' } },
    key: 'not this one',
  })
})

it('passes on new secrets and removals', () => {
  const patch = { sms: { key: 'new' }, platforms: { a: { secret: null } } }
  expect(withoutShownSecrets(patch, paths)).toEqual(patch)
})

it('leaves settings without the path, or with another type there, unchanged', () => {
  expect(withoutSecrets({ sms: 'text', platforms: [] }, paths)).toEqual({ sms: 'text', platforms: [] })
})
