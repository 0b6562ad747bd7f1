import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { makeApp } from '../../../test/support/app.ts'

const app = await makeApp()
const migration = readFileSync(
  new URL('../../database/app-migrations/0009_anonymous_no_more.sql', import.meta.url),
  'utf8',
)

const logIn = async (authData: object) => (await app.request('POST', '/1.1/users', { body: { authData } })).body

it('the migration ends the anonymity of users that have linked a platform, and changes no others', async () => {
  const linked = await logIn({ github: { uid: 'linked' } })
  const anonymous = await logIn({ anonymous: { id: 'anonymous' } })
  const github = await logIn({ github: { uid: 'never anonymous' } })
  await app.sql(`INSERT INTO "$identities" (platform, uid, user_id) VALUES ('anonymous', 'left', $1)`, [
    linked.objectId,
  ])
  await app.sql(`UPDATE "_User" SET data = jsonb_set(data, '{authData,anonymous}', '{"id":"left"}') WHERE id = $1`, [
    linked.objectId,
  ])
  expect((await logIn({ anonymous: { id: 'left' } })).objectId).toBe(linked.objectId)
  await app.sql(migration)
  expect((await logIn({ anonymous: { id: 'left' } })).objectId).not.toBe(linked.objectId)
  expect((await logIn({ github: { uid: 'linked' } })).authData).toEqual({ github: { uid: 'linked' } })
  expect((await logIn({ anonymous: { id: 'anonymous' } })).objectId).toBe(anonymous.objectId)
  expect((await logIn({ github: { uid: 'never anonymous' } })).authData).toEqual(github.authData)
})
