import { expect, it } from 'vitest'
import { makeApp } from '../../../test/support/app.ts'

const app = await makeApp()

const create = async (className: string) =>
  (await app.request('POST', `/1.1/classes/${className}`, { master: true, body: {} })).body.objectId as string
const classesOf = async (id: string) => (await app.admin('GET', `/objects/${encodeURIComponent(id)}`)).body.classes

it('lists the classes that have an object with the id, including built-in ones', async () => {
  const [first, second] = [await create('First'), await create('Second')]
  expect(await classesOf(first)).toEqual(['First'])
  await app.admin('POST', '/classes/Second/restore', {
    objectId: first,
    createdAt: '2026-01-01T00:00:00.000Z',
    fields: {},
  })
  expect(await classesOf(first)).toEqual(['First', 'Second'])
  expect(await classesOf(second)).toEqual(['Second'])
  expect(await classesOf((await app.makeUser('found')).id)).toEqual(['_User'])
  expect(await classesOf('nowhere')).toEqual([])
})

it('rejects an invalid id', async () => {
  expect((await app.admin('GET', `/objects/${encodeURIComponent("a'; DROP")}`)).status).toBe(400)
})
