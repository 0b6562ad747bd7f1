import { expect, it } from 'vitest'
import { errors } from '../../errors.ts'
import { frameworkRefusal } from './framework-refusal.ts'

const withStatus = (statusCode: unknown) => Object.assign(new Error('inner detail: /srv/secret'), { statusCode })

it.each(Array.from({ length: 100 }, (_, n) => 400 + n))(
  'maps an error of the framework with status %i to a 4XX error',
  (status) => {
    const refusal = frameworkRefusal(withStatus(status))!
    expect(refusal.status).toBe(status === 403 ? 404 : status)
    expect(refusal.body.error).not.toContain('secret')
  },
)

it.each([200, 399, 500, 503, 400.5, '404', null, Number.NaN])('returns null for status %j', (status) => {
  expect(frameworkRefusal(withStatus(status))).toBeNull()
})

it.each([new Error('plain'), errors.notFound('ours'), 'text', null, { statusCode: 404 }])(
  'returns null for %s',
  (error) => {
    expect(frameworkRefusal(error)).toBeNull()
  },
)
