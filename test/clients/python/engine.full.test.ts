import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TextMessage } from 'leancloud-realtime'
import AV from 'leancloud-storage'
import { afterAll, describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../../support/app.ts'
import { startEngine } from '../../support/engine-process.ts'
import { connectPhones } from '../../support/phones.ts'
import { installPackages, python } from '../../support/python.ts'
import { devicesOf, nextEvent } from '../../support/realtime.ts'
import { runCases } from './run-cases.ts'

describe.skipIf(python === null)('the engine for Python', async () => {
  if (python === null) return it.skip('starts')
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const packages = await installPackages([new URL('requirements.txt', import.meta.url)])
  const app = await makeApp()
  const phones = await connectPhones(app)
  const engine = await startEngine(app, readFileSync(here('cloud.py'), 'utf8'), afterAll, {
    runtime: { program: python, args: [here('engine.py')], file: 'cloud.py' },
    variables: packages,
  })
  const newDevice = devicesOf(app)

  const post = (path: string, body: object, options: RequestOptions = {}) =>
    app.request('POST', `/1.1/${path}`, { body, ...options })
  const read = async (path: string) => (await app.request('GET', `/1.1/${path}`, { master: true })).body
  const notes = (hook: string) =>
    engine
      .notes()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .filter((note) => note.hook === hook)
  const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId })

  describe('functions', () => {
    it('receive their parameters and the current user', async () => {
      const mia = await app.makeUser('mia')
      expect((await post('functions/greet', { name: 'Mia' })).body).toEqual({ result: 'Hello, Mia. You are unknown.' })
      expect((await post('functions/greet', {}, { session: mia.session })).body).toEqual({
        result: 'Hello, nobody. You are mia.',
      })
    })
    it('run as their caller and as no other user', async () => {
      const [ann, leo] = [await app.makeUser('ann'), await app.makeUser('leo')]
      const made = await post('functions/write_diary', { text: 'secret' }, { session: ann.session })
      const path = `/1.1/classes/Diary/${made.body.result}`
      expect((await app.request('GET', path, { session: ann.session })).body.text).toBe('secret')
      expect((await app.request('GET', path, { session: leo.session })).status).toBe(403)
    })
    it('called without a user do not run as the previous user', async () => {
      const zoe = await app.makeUser('zoe')
      for (let time = 0; time < 5; time++) {
        const { body } = await post('functions/whose_session', {}, { session: zoe.session })
        expect(body.result).toEqual([zoe.session, zoe.id, '127.0.0.1'])
        expect((await post('functions/whose_session', {})).body.result).toEqual([null, null, '127.0.0.1'])
      }
    })
    it('accept and return objects of the JavaScript client', async () => {
      AV.init({ appId: app.appId, appKey: app.appKey, serverURL: app.url })
      const movie = await new AV.Object('Movie').save({ title: 'a film' })
      const review = await new AV.Object('Review').save({ comment: 'fine', stars: 4, movie, on: new Date(0) })
      const { best, all } = await AV.Cloud.rpc('best_review', { movie })
      expect([best, all[0]].every((found) => found instanceof AV.Object && found.id === review.id)).toBe(true)
      expect(best.toJSON()).toMatchObject({ stars: 4, on: new Date(0).toISOString(), movie: { objectId: movie.id } })
    })
    it('fail with their own error', async () => {
      expect(await post('functions/refuse', { code: 4242 })).toMatchObject({
        status: 400,
        body: { code: 4242, error: 'refused on purpose' },
      })
      expect(await post('functions/refuse', {})).toMatchObject({ status: 500, body: { code: 141 } })
      expect(await post('functions/absent', {})).toMatchObject({ status: 404, body: { code: 404 } })
      expect(await post('functions/greet', {}, { session: 'none of anybody' })).toMatchObject({ status: 500 })
    })
  })

  describe('hooks of a class', () => {
    it('complete or reject saves, and run after saves', async () => {
      const max = await app.makeUser('max')
      expect(await post('classes/Review', { stars: 1 })).toMatchObject({
        status: 400,
        body: { code: 142, error: 'Cloud Code validation failed. Error detail : No comment provided!' },
      })
      const movie = await post('classes/Movie', { reviews: 0 })
      const review = { comment: 'much too long a text', stars: 3, draft: true }
      const fields = { ...review, movie: pointer('Movie', movie.body.objectId) }
      const made = await post('classes/Review', fields, { session: max.session })
      expect(made.status).toBe(201)
      const stored = await read(`classes/Review/${made.body.objectId}`)
      expect(stored).toMatchObject({ comment: 'much too l', stars: 3, author: pointer('_User', max.id) })
      expect(stored).not.toHaveProperty('draft')
      await expect.poll(() => read(`classes/Review/${made.body.objectId}`)).toHaveProperty('counted', true)
      expect(await read(`classes/Movie/${movie.body.objectId}`)).toMatchObject({ reviews: 1 })
    })
    it('see and reject updates and deletions', async () => {
      const made = await post('classes/Review', { comment: 'fine', stars: 5 })
      const path = `/1.1/classes/Review/${made.body.objectId}`
      expect(await app.request('PUT', path, { body: { stars: 6 } })).toMatchObject({ body: { code: 142 } })
      expect(await app.request('DELETE', path)).toMatchObject({ body: { code: 142 } })
      expect((await app.request('PUT', path, { body: { stars: { __op: 'Increment', amount: -1 } } })).status).toBe(200)
      expect(notes('beforeUpdate')).toContainEqual({ hook: 'beforeUpdate', keys: ['stars'], stars: 4 })
      await expect.poll(() => notes('afterUpdate')).toContainEqual({ hook: 'afterUpdate', keys: ['stars'], stars: 4 })
      expect((await app.request('DELETE', path)).status).toBe(200)
      await expect.poll(() => notes('afterDelete')).toEqual([{ hook: 'afterDelete', id: made.body.objectId }])
    })
    it('return values of every type unchanged', async () => {
      const file = await post('files', { name: 'a.txt', url: 'https://example.org/a.txt', metaData: { size: 3 } })
      const fields = {
        text: 'größer 😀',
        whole: 3,
        fraction: 1.5,
        list: [1, [2], { three: null }],
        when: { __type: 'Date', iso: '2024-05-01T08:00:00.123Z' },
        place: { __type: 'GeoPoint', latitude: 1.5, longitude: 2 },
        bytes: { __type: 'Bytes', base64: 'AAEC' },
        file: { __type: 'File', id: file.body.objectId },
        movie: pointer('Movie', 'abcdefabcdefabcdefabcdef'),
        ACL: { '*': { read: true }, 'role:editors': { write: true } },
      }
      const made = await post('classes/Everything', fields)
      const stored = await read(`classes/Everything/${made.body.objectId}`)
      const url = 'https://example.org/a.txt'
      const { ACL: acl, ...shown } = fields
      expect(stored).toMatchObject({ ...shown, seen: true, file: { objectId: file.body.objectId, url } })
      const { rows } = await app.sql('SELECT acl FROM "Everything" WHERE id = $1', [made.body.objectId])
      expect(rows).toEqual([{ acl }])
    })
    it('run for each item of a batch', async () => {
      const requests = ['one', '', 'three'].map((comment) => ({
        method: 'POST',
        path: '/1.1/classes/Review',
        body: { comment, stars: 1 },
      }))
      const { body } = await post('batch', { requests })
      expect(body).toMatchObject([{ success: {} }, { error: { code: 142 } }, { success: {} }])
    })
  })

  describe('hooks of users', () => {
    it('see logins and reject some', async () => {
      const eve = await app.makeUser('eve')
      const logIn = () => post('login', { username: 'eve', password: 'password of eve' })
      expect((await logIn()).status).toBe(200)
      expect(notes('onLogin')).toEqual([{ hook: 'onLogin', username: 'eve' }])
      await app.request('PUT', `/1.1/users/${eve.id}`, { body: { banned: true }, master: true })
      expect(await logIn()).toMatchObject({ status: 401, body: { code: 142 } })
    })
    it('exchange a platform code for an identity', async () => {
      const logIn = (acme: object) => post('users', { authData: { acme } })
      const made = await logIn({ code: 'c1' })
      expect(made).toMatchObject({ status: 201, body: { authData: { acme: { uid: 'uid of c1' } } } })
      expect((await logIn({ code: 'c1' })).body.objectId).toBe(made.body.objectId)
      expect(await logIn({ code: 'wrong' })).toMatchObject({ body: { code: 142 } })
      expect((await logIn({ uid: 'u9', access_token: 't' })).status).toBe(201)
    })
    it('are notified of a verified phone number', async () => {
      const number = phones.newNumber()
      await post('users', { username: 'tom', password: 'secret', mobilePhoneNumber: number })
      await post('requestMobilePhoneVerify', { mobilePhoneNumber: number })
      await post(`verifyMobilePhone/${phones.codeOf(number)}`, { mobilePhoneNumber: number })
      await expect.poll(() => notes('onVerified')).toEqual([{ hook: 'onVerified', number }])
    })
  })

  describe('hooks of messaging', () => {
    it('change or drop a message', async () => {
      const device = newDevice()
      const [ann, leo] = [await device.logIn('ann'), await newDevice().logIn('leo')]
      const conversation = await ann.createConversation({ members: ['leo'], unique: true })
      const arrived = nextEvent<[TextMessage]>(leo, 'message')
      await conversation.send(new device.sdk.TextMessage('a bad word'))
      expect((await arrived)[0].text).toBe('a *** word')
      await expect(conversation.send(new device.sdk.TextMessage('spam'))).rejects.toMatchObject({ code: 4402 })
      expect(notes('_messageReceived')).toContainEqual({
        hook: '_messageReceived',
        sender: 'ann',
        conversation: conversation.id,
      })
    })
    it('reject a conversation', async () => {
      const client = await newDevice().logIn('mia')
      await expect(client.createConversation({ members: ['nobody'] })).rejects.toMatchObject({ code: 4305 })
    })
  })

  for (const { name, failure } of await runCases('functions.py', app, packages)) {
    it(`called by the client for Python: ${name}`, () => expect.assert(failure === undefined, failure))
  }
})
