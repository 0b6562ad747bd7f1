import { expect, it } from 'vitest'
import { z } from 'zod'
import { membersOf, secret, secretPaths } from './settings-schema.ts'

const text = z.string()

it('finds a secret at any depth of the settings, however it is wrapped', () => {
  const inner = z.strictObject({ id: text, key: secret(text).optional() }).refine(() => true)
  const settings = z
    .strictObject({
      plain: text,
      nullable: secret(text.nullable().default(null)),
      checked: secret(text).min(1),
      deep: z.strictObject({ inner: inner.prefault({ id: '' }) }).optional(),
      named: z.record(text, inner).transform((records) => Object.keys(records)),
    })
    .prefault({} as never)
  expect(membersOf(settings)).toEqual([
    { path: 'plain', isSecret: false },
    { path: 'nullable', isSecret: true },
    { path: 'checked', isSecret: true },
    { path: 'deep.inner.id', isSecret: false },
    { path: 'deep.inner.key', isSecret: true },
    { path: 'named.*.id', isSecret: false },
    { path: 'named.*.key', isSecret: true },
  ])
})

it('treats members below a secret as part of it', () => {
  expect(secretPaths(z.strictObject({ account: secret(z.strictObject({ key: secret(text) })) }))).toEqual(['account'])
})

it('marks a member without marking others of the same schema', () => {
  expect(secretPaths(z.strictObject({ key: secret(text), id: text }))).toEqual(['key'])
})

it.each([
  ['a list', z.array(secret(text))],
  ['a list of objects', z.array(z.strictObject({ key: secret(text) }))],
  ['one of several forms', z.union([text, z.strictObject({ key: secret(text) })])],
])('rejects a secret inside %s, where it could not be hidden', (_, schema) => {
  expect(() => secretPaths(z.strictObject({ keys: schema }))).toThrow('no secret can be inside of keys')
})
