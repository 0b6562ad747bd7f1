import { beforeAll, describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { useEngine } from '../support/engine-process.ts'
import { inputOf, json, standInEngine } from '../support/stand-in-engine.ts'

const app = await makeApp()
const engine = await standInEngine()
beforeAll(async () => {
  engine.functions.set('hello', json({ result: 'world' }))
  engine.functions.set('/1.1/call/hello', json({ result: 'world' }))
  engine.functions.set('__before_delete_for_Memo', json([]))
  engine.functions.set('Memo/beforeDelete', json([]))
  await useEngine(app, { production: engine.url })
})

const post = (path: string, body: unknown) => app.request('POST', `/1.1/${path}`, { body })

// PHP encodes an object without members as an empty list (protocol/conventions, Requests).
describe('an empty list in place of an object is an empty object:', () => {
  it.each(['functions/hello', 'call/hello'])('the parameters of a function, POST /1.1/%s', async (path) => {
    expect(await post(path, [])).toMatchObject({ status: 200, body: { result: 'world' } })
    expect(inputOf(engine.calls.at(-1))).toEqual({})
  })

  it('a non-empty list is rejected', async () => {
    expect(await post('functions/hello', [[]])).toMatchObject({ status: 400, body: { code: 107 } })
  })

  it('the body of a create, an update and a deletion', async () => {
    const { status, body } = await post('classes/Memo', [])
    expect(status).toBe(201)
    const path = `/1.1/classes/Memo/${body.objectId}`
    expect((await app.request('PUT', path, { body: [] })).status).toBe(200)
    // The response of the hook follows the same rule.
    expect(await app.request('DELETE', path, { body: [] })).toMatchObject({ status: 200, body: {} })
  })

  it('the body and the parameters of an item of a batch', async () => {
    const { objectId } = (await post('classes/Note', { n: 1 })).body
    const requests = [
      { method: 'POST', path: '/1.1/classes/Note', body: [] },
      { method: 'GET', path: '/1.1/classes/Note', params: [], body: [] },
      { method: 'DELETE', path: `/1.1/classes/Note/${objectId}`, body: [] },
    ]
    const { body } = await post('batch', { requests })
    expect(body).toMatchObject([{ success: { objectId: expect.any(String) } }, { success: {} }, { success: {} }])
    expect(body[1].success.results).toHaveLength(2)
  })

  it('a condition, also of an inner query', async () => {
    const { objectId } = (await post('classes/Author', { name: 'a' })).body
    await post('classes/Book', { author: { __type: 'Pointer', className: 'Author', objectId } })
    for (const where of ['[]', '{"author":{"$inQuery":{"className":"Author","where":[]}}}']) {
      const { body } = await app.request('GET', '/1.1/classes/Book', { query: { where } })
      expect(body.results).toHaveLength(1)
    }
  })

  it('the condition of a push', async () => {
    const body = { where: [], data: { alert: 'hi' } }
    expect(await app.request('POST', '/1.1/push', { body, master: true })).toMatchObject({ status: 200 })
  })

  it('authData, which counts as absent', async () => {
    const { status } = await post('users', { username: 'php', password: 'p', authData: [] })
    expect(status).toBe(201)
  })

  it('but not a field value, which stays a list', async () => {
    const { objectId } = (await post('classes/Memo', { tags: [] })).body
    expect((await app.request('GET', `/1.1/classes/Memo/${objectId}`)).body.tags).toEqual([])
  })
})
