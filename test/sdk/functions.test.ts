import AV from 'leancloud-storage'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEngine } from '../support/engine-process.ts'
import { makeSdkApp, save, stored } from '../support/sdk.ts'

const app = await makeSdkApp()

const CODE = `
  const { define } = AV.Cloud
  define('echo', ({ params }) => params)
  define('nothing', () => {})
  define('who', ({ currentUser, sessionToken, meta }) =>
    ({ name: currentUser ? currentUser.get('username') : null, sessionToken, address: meta.remoteAddress }))
  define('refuse', ({ params }) => { throw new AV.Cloud.Error('Not for you', params) })
  define('crash', () => { throw new TypeError('nothing is a function') })
  define('secret', { internal: true }, () => 'hush')

  define('make', async ({ params }) => {
    const post = new AV.Object('Post')
    return post.save({ title: params.title, at: new Date(0), place: new AV.GeoPoint(1, 2) })
  })
  define('titles', ({ params: { posts, first, nested } }) => ({
    titles: posts.map((post) => post.get('title')),
    first: first.get('title'),
    nested: nested.post.get('title'),
    isDate: nested.at instanceof Date,
    place: nested.place.latitude,
    file: nested.file.url(),
  }))
  define('posts', async () => new AV.Query('Post').ascending('title').find())
  define('wrapped', async () => {
    const post = await new AV.Query('Post').ascending('title').first()
    const file = await AV.File.withURL('a.txt', 'https://files.example.org/a.txt').save()
    return { post, list: [post], at: new Date(0), place: new AV.GeoPoint(1, 2), file, text: 'x', none: null }
  })

  define('sealed', async () => {
    const post = new AV.Object('Sealed')
    post.setACL(new AV.ACL())
    await post.save({ a: 1 })
    const found = await AV.Object.createWithoutData('Sealed', post.id).fetch({}, { useMasterKey: true })
    return found.get('a')
  })
  define('outer', async ({ params, currentUser }) =>
    AV.Cloud.run('echo', { via: params.via }, { remote: true, sessionToken: currentUser && currentUser.getSessionToken() }))
  define('innerSecret', () => AV.Cloud.run('secret', {}, { remote: true }))
  define('saveHooked', async () => (await new AV.Object('Hooked').save({ a: 1 }, { fetchWhenSave: true })).get('marked'))
  AV.Cloud.beforeSave('Hooked', async ({ object }) => {
    object.set('marked', await AV.Cloud.run('echo', { deep: true }, { remote: true }))
  })

  let runs = 0
  define('enqueue', ({ params }) => AV.Cloud.enqueue(params.name, params.params, params.options))
  define('task', ({ params }) => AV.Cloud.getTaskInfo(params.id))
  define('flaky', ({ params }) => {
    if (++runs < 3) throw new AV.Cloud.Error('not yet', { code: 4711 })
    return { runs, params }
  })
  define('environment', () => process.env.LEANCLOUD_APP_ENV)
  define('hang', () => {
    console.log('It hangs.')
    return new Promise(() => {})
  })
`

const engine = await startEngine(app, CODE, afterAll)

/** Returns the error of a failed call. */
async function refusal(running: Promise<unknown>): Promise<{ code: number; status: number; text: string }> {
  try {
    await running
  } catch (error) {
    const { code, message, status } = error as { code: number; message: string; status?: number }
    return { code, text: message, status: status ?? 0 }
  }
  return expect.fail('the call should have been refused')
}

const run = (name: string, parameters: object = {}, options: AV.AuthOptions = {}) =>
  AV.Cloud.run(name, parameters, options)
const rpc = (name: string, parameters: object = {}, options: AV.AuthOptions = {}) =>
  AV.Cloud.rpc(name, parameters, options)

describe('AV.Cloud.run', () => {
  it('passes parameters to a function, and returns its result', async () => {
    const parameters = { text: 'ä', number: 1.5, list: [1, 'b', null], nested: { a: { b: true } } }
    expect(await run('echo', parameters)).toEqual(parameters)
    expect(await run('nothing')).toBeUndefined()
  })

  it('runs as the user of its session', async () => {
    const user = await AV.User.signUp('mia', 'password of mia')
    const sessionToken = user.getSessionToken()
    expect(await run('who', {}, { sessionToken })).toEqual({ name: 'mia', sessionToken, address: '127.0.0.1' })
    await AV.User.logOut()
    expect(await run('who')).toMatchObject({ name: null })
    expect(await refusal(run('who', {}, { sessionToken: 'of-nobody' }))).toMatchObject({ code: 211 })
  })

  it('gets the error thrown by the code', async () => {
    expect(await refusal(run('refuse', { code: 4711 }))).toMatchObject({
      code: 4711,
      text: expect.stringContaining('Not for you'),
    })
    expect(await refusal(run('refuse'))).toMatchObject({ code: 1 })
    expect(await refusal(run('crash'))).toMatchObject({
      code: 1,
      text: expect.stringContaining('nothing is a function'),
    })
    const { status, body } = await app.request('POST', '/1.1/functions/refuse', { body: { code: 9, status: 418 } })
    expect([status, body]).toEqual([418, { code: 9, error: 'Not for you' }])
  })

  it('reports an unknown function', async () => {
    const { status, body } = await app.request('POST', '/1.1/functions/none', { body: {} })
    expect([status, body]).toEqual([404, { code: 1, error: "No such cloud function 'none'" }])
  })

  it('calls internal functions only with the master key', async () => {
    expect(await refusal(run('secret'))).toMatchObject({ code: 401 })
    expect(await run('secret', {}, { useMasterKey: true })).toBe('hush')
    expect(await run('innerSecret')).toBe('hush')
  })
})

describe('AV.Cloud.rpc', () => {
  it('accepts and returns objects', async () => {
    const made = await rpc('make', { title: 'A' })
    expect(made).toBeInstanceOf(AV.Object)
    expect(made.className).toBe('Post')
    expect(made.get('at')).toEqual(new Date(0))
    expect(made.get('place')).toMatchObject({ latitude: 1, longitude: 2 })
    expect((await stored(made)).get('title')).toBe('A')
    const other = await save('Post', { title: 'B' })
    const file = await AV.File.withURL('f.txt', 'https://files.example.org/f.txt').save()
    const nested = { post: other, at: new Date(0), place: new AV.GeoPoint(3, 4), file }
    expect(await rpc('titles', { posts: [made, other], first: made, nested })).toEqual({
      titles: ['A', 'B'],
      first: 'A',
      nested: 'B',
      isDate: true,
      place: 3,
      file: 'https://files.example.org/f.txt',
    })
  })

  it('returns lists of objects, and nested objects', async () => {
    const posts = (await rpc('posts')) as AV.Object[]
    expect(posts.map((post) => [post instanceof AV.Object, post.get('title')])).toEqual([
      [true, 'A'],
      [true, 'B'],
    ])
    const { post, list, at, place, file, text, none } = await rpc('wrapped')
    expect([post.get('title'), list[0].get('title'), at, text, none]).toEqual(['A', 'A', new Date(0), 'x', null])
    expect(place).toMatchObject({ latitude: 1 })
    expect([file instanceof AV.File, file.url()]).toEqual([true, 'https://files.example.org/a.txt'])
  })
})

describe('a function that calls back', () => {
  it('reads and writes with the master key', async () => {
    expect(await run('sealed')).toBe(1)
  })

  it('calls another function', async () => {
    expect(await run('outer', { via: 'outer' })).toEqual({ via: 'outer' })
  })

  it('saves objects, whose hooks call functions', async () => {
    expect(await run('saveHooked')).toEqual({ deep: true })
  })

  it('works many times concurrently', async () => {
    const results = await Promise.all(Array.from({ length: 40 }, (_, via) => run('outer', { via })))
    expect(results.map(({ via }) => via)).toEqual(Array.from({ length: 40 }, (_, via) => via))
  })
})

describe('AV.Cloud.enqueue', () => {
  it('runs a function later, retries it on failure, and reports the result', async () => {
    const options = { attempts: 5, backoff: 1 }
    const { uniqueId } = await run('enqueue', { name: 'flaky', params: { a: 1 }, options })
    const task = () => run('task', { id: uniqueId })
    await expect.poll(task, { timeout: 60_000 }).toMatchObject({ status: 'success', statusCode: 200 })
    expect(await task()).toMatchObject({ uniqueId, result: { runs: 3, params: { a: 1 } } })
  })

  it('requires the master key, and rejects a repeated id', async () => {
    const path = '/1.1/engine/cloud-queue/tasks'
    const body = { function: 'echo', uniqueId: 'one' }
    expect((await app.request('POST', path, { body })).status).toBe(401)
    expect(await app.request('POST', path, { body, master: true })).toMatchObject({ body: { uniqueId: 'one' } })
    expect(await app.request('POST', path, { body, master: true })).toMatchObject({ status: 400, body: { code: 137 } })
    await expect.poll(async () => (await app.request('GET', `${path}/one`)).body.status).toBe('success')
    expect((await app.request('GET', `${path}/none`)).status).toBe(404)
  })
})

it('a schedule calls a function, and the administrator sees the result', async () => {
  const schedule = { function: 'nothing', cron: '* * * * * ?' }
  await app.admin('PATCH', '/settings', { engine: { schedules: { often: schedule } } })
  const list = async () => (await app.admin('GET', '/schedules')).body.schedules
  await expect
    .poll(list, { timeout: 60_000 })
    .toMatchObject([
      { name: 'often', function: 'nothing', nextRunAt: expect.any(String), lastOutcome: { status: 200, error: null } },
    ])
  await app.admin('PATCH', '/settings', { engine: { schedules: null } })
  await expect.poll(list).toEqual([])
})

it('staging has its own functions', async () => {
  const before = await app.request('POST', '/1.1/functions/environment', { body: {}, headers: { 'x-lc-prod': '0' } })
  expect([before.status, before.body.code]).toEqual([503, 503])
  await startEngine(app, CODE, onTestFinished, { environment: 'staging' })
  const results = await Promise.all(
    ['0', '1'].map((prod) =>
      app.request('POST', '/1.1/functions/environment', { body: {}, headers: { 'x-lc-prod': prod } }),
    ),
  )
  expect(results.map(({ body }) => body.result)).toEqual(['stage', 'production'])
})

it('calls fail at once when the engine crashes, and work when it returns', async () => {
  const hanging = app.request('POST', '/1.1/functions/hang', { body: {} })
  await expect.poll(() => engine.output()).toContain('It hangs.')
  await engine.kill()
  expect(await hanging).toMatchObject({ status: 503, body: { code: 503 } })
  expect(await app.request('POST', '/1.1/functions/echo', { body: {} })).toMatchObject({ status: 503 })
  await engine.start()
  expect(await run('echo', { again: 1 })).toEqual({ again: 1 })
})
