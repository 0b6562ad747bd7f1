import { describe, expect, test } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
const ann = await app.makeUser('ann')

const patch = (className: string, body: unknown) => app.admin('PATCH', `/classes/${className}`, body)
const show = async (className: string) => (await app.admin('GET', `/classes/${className}`)).body
const create = (className: string, body: object, options: RequestOptions = {}) =>
  app.request('POST', `/1.1/classes/${className}`, { ...options, body })
const update = (className: string, id: string, body: object, options: RequestOptions = {}) =>
  app.request('PUT', `/1.1/classes/${className}/${id}`, { ...options, body })
const read = async (className: string, id: string, options: RequestOptions = {}) =>
  (await app.request('GET', `/1.1/classes/${className}/${id}`, options)).body

describe('classes', () => {
  test('are listed with fields, permissions, default ACL and indexes', async () => {
    await create('Shown', { title: 'x', score: 1, owner: { __type: 'Pointer', className: '_User', objectId: ann.id } })
    expect(await show('Shown')).toEqual({
      className: 'Shown',
      fields: { title: { type: 'String' }, score: { type: 'Number' }, owner: { type: 'Pointer', className: '_User' } },
      permissions: {
        create: 'public',
        find: 'public',
        get: 'public',
        update: 'public',
        delete: 'public',
        addField: 'public',
      },
      defaultAcl: { '*': { read: true, write: true } },
      indexes: [],
    })
    const { body } = await app.admin('GET', '/classes')
    expect(body.classes).toContainEqual(await show('Shown'))
    expect(body.classes.map((one: { className: string }) => one.className)).toContain('_User')
  })

  test('have their fields in creation order', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `f${(n * 7) % 20}`)
    await create('Ordered', Object.fromEntries(names.map((name) => [name, 1])))
    await create('Ordered', { a: 1 })
    expect(Object.keys((await show('Ordered')).fields)).toEqual([...names, 'a'])
  })

  test('PATCH creates a missing class', async () => {
    expect((await patch('Fresh', { permissions: { delete: 'master' } })).body.permissions.delete).toBe('master')
    expect((await create('Fresh', {})).status).toBe(201)
  })

  test('POST creates a class with fields of any type before the first object; a second time it is rejected', async () => {
    const types = ['String', 'Number', 'Boolean', 'Object', 'Array', 'Date', 'Bytes', 'File', 'GeoPoint']
    const fields = {
      ...Object.fromEntries(types.map((type) => [`a${type}`, { type }])),
      aPointer: { type: 'Pointer', className: '_User', comment: 'who wrote it' },
      aRelation: { type: 'Relation', className: 'Post' },
    }
    const body = {
      className: 'Declared',
      fields,
      permissions: { delete: 'master' },
      indexes: [{ fields: ['aNumber', '-aDate'] }],
    }
    const made = await app.admin('POST', '/classes', body)
    expect([made.status, made.body]).toEqual([201, await show('Declared')])
    expect(made.body).toMatchObject({ fields, permissions: { delete: 'master' }, indexes: ['aNumber,-aDate'] })
    const again = await app.admin('POST', '/classes', body)
    expect([again.status, again.body.error]).toEqual([400, "The class 'Declared' already exists."])

    expect((await app.request('GET', '/1.1/classes/Declared')).body).toEqual({ results: [] })
    expect((await create('Declared', { aNumber: 'one' })).body.code).toBe(111)
    expect((await create('Declared', { aNumber: 1, aString: 'x' })).status).toBe(201)
    const { body: schema } = await app.request('GET', '/1.1/schemas/Declared', { master: true })
    expect(schema.aPointer).toEqual({ type: 'Pointer', className: '_User' })
  })

  test.each(['', '1a', 'a-b', '_Mine', 'a'.repeat(200)])('rejects the class name %j', async (className) => {
    const { status, body } = await app.admin('POST', '/classes', { className })
    expect([status, body.error]).toEqual([400, expect.stringMatching(/className|classname/)])
  })

  test('of 20 concurrent requests that declare fields of one class each is applied', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `field${index}`)
    await Promise.all(
      names.map((name) => patch('Together', { fields: { [name]: { type: 'Number', required: true } } })),
    )
    expect(Object.keys((await show('Together')).fields).sort()).toEqual(names.sort())
  })

  test('are deleted with their objects, except built-in ones', async () => {
    const { body } = await create('Doomed', { a: 1 })
    expect((await app.admin('DELETE', '/classes/Doomed')).status).toBe(200)
    expect((await app.admin('GET', '/classes/Doomed')).status).toBe(404)
    expect((await app.request('GET', '/1.1/classes/Doomed')).body.code).toBe(101)
    expect((await app.admin('DELETE', '/classes/Doomed')).status).toBe(404)
    // A class of the same name starts empty, with another field type.
    expect((await create('Doomed', { a: 'text' })).status).toBe(201)
    expect(await read('Doomed', body.objectId)).toEqual({})
    const refused = await app.admin('DELETE', '/classes/_User')
    expect([refused.status, refused.body.code]).toEqual([400, 1])
    expect((await app.request('GET', '/1.1/classes/_User', { master: true })).status).toBe(200)
  })

  test.each<[body: unknown, text: RegExp]>([
    [{ nonsense: 1 }, /nonsense/],
    [{ permissions: { nonsense: 'public' } }, /permissions.*nonsense|nonsense.*permissions/],
    [{ permissions: { find: 'nobody' } }, /permissions\.find/],
    [{ permissions: { find: { users: 'ann' } } }, /permissions\.find/],
    [{ defaultAcl: { 'a b': { read: true } } }, /a b/],
    [{ defaultAcl: { '*': { read: 'yes' } } }, /\*/],
    [{ fields: { nothing: { required: true } } }, /no field 'nothing'/],
    [{ fields: { a: { nonsense: true } } }, /nonsense/],
    [{ fields: { a: { required: 'yes' } } }, /fields\.a\.required/],
    [{ fields: { fresh: { type: 'Text' } } }, /fields\.fresh\.type/],
    [{ fields: { fresh: { type: 'Pointer' } } }, /fields\.fresh\.className/],
    [{ fields: { fresh: { type: 'String', className: 'Post' } } }, /fields\.fresh\.className/],
    [{ fields: { fresh: { type: 'Pointer', className: 'a b' } } }, /fields\.fresh\.className/],
    [{ fields: { 'a b': { type: 'String' } } }, /a b/],
    [{ fields: { ACL: { type: 'Object' } } }, /fields\.ACL/],
    [{ fields: { objectId: { type: 'String' } } }, /fields\.objectId/],
    [{ fields: { fresh: { type: 'String' }, a: { type: 'String' } } }, /'a'.*Number/],
    [{ fields: { a: { default: 'text' } } }, /fields\.a\.default.*Number/],
    [{ fields: { fresh: { type: 'Relation', className: 'Post', required: true } } }, /fields\.fresh.*Relation/],
    [{ fields: { fresh: { type: 'GeoPoint' } }, indexes: [{ fields: ['fresh'] }] }, /'fresh' is a GeoPoint/],
    [{ fields: { fresh: { type: 'String', comment: 'x'.repeat(1001) } } }, /fields\.fresh\.comment/],
    [{ indexes: [{ fields: [] }] }, /indexes\.0\.fields/],
    [{ indexes: [{ fields: ['nothing'] }] }, /no field 'nothing'/],
    [[1], /body/],
  ])('rejects %j with the reason, and changes nothing', async (body, text) => {
    await create('Steady', { a: 1 })
    const before = await show('Steady')
    const answer = await patch('Steady', body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(text)
    expect(await show('Steady')).toEqual(before)
  })
})

describe('permissions', () => {
  test('each operation is closed separately; the master key bypasses it', async () => {
    const { body: made } = await create('Closed', { a: 1 })
    const operations: Record<string, (options?: RequestOptions) => ReturnType<typeof create>> = {
      create: (options) => create('Closed', {}, options),
      find: (options) => app.request('GET', '/1.1/classes/Closed', options),
      get: (options) => app.request('GET', `/1.1/classes/Closed/${made.objectId}`, options),
      update: (options) => update('Closed', made.objectId, { a: 2 }, options),
      delete: (options) => app.request('DELETE', '/1.1/classes/Closed/5f0000000000000000000001', options),
    }
    for (const [operation, perform] of Object.entries(operations)) {
      await patch('Closed', { permissions: { [operation]: 'master' } })
      const refused = await perform()
      expect(refused.body, operation).toEqual({
        code: 403,
        error: `Forbidden to ${operation} by class 'Closed' permissions.`,
      })
      expect(refused.status).toBe(403)
      expect((await perform({ session: ann.session })).status, operation).toBe(403)
      expect((await perform({ master: true })).status, operation).toBeLessThan(300)

      await patch('Closed', { permissions: { [operation]: 'users' } })
      expect((await perform()).status, operation).toBe(403)
      expect((await perform({ session: ann.session })).status, operation).toBeLessThan(300)

      await patch('Closed', { permissions: { [operation]: { users: [ann.id] } } })
      expect((await perform({ session: ann.session })).status, operation).toBeLessThan(300)
      await patch('Closed', { permissions: { [operation]: { users: ['somebody'], roles: ['nobody'] } } })
      expect((await perform({ session: ann.session })).status, operation).toBe(403)
      await patch('Closed', { permissions: { [operation]: 'public' } })
    }
  })

  test('changing one keeps the others', async () => {
    await patch('Kept', { permissions: { find: 'master', get: 'users' } })
    expect((await patch('Kept', { permissions: { get: 'public' } })).body.permissions).toMatchObject({
      find: 'master',
      get: 'public',
    })
  })

  test('addField: rejects new fields, accepts existing ones', async () => {
    await create('NoFields', { a: 1 })
    await patch('NoFields', { permissions: { addField: 'master' } })
    expect((await create('NoFields', { a: 2 })).status).toBe(201)
    expect((await create('NoFields', { b: 2 })).body).toEqual({
      code: 403,
      error: "Forbidden to add new fields by class 'NoFields' permissions.",
    })
    expect((await create('NoFields', { b: 2 }, { master: true })).status).toBe(201)
    expect((await create('NoFields', { b: 2 })).status).toBe(201)
  })

  test('clients cannot search users until the administrator allows it', async () => {
    expect((await app.request('GET', '/1.1/classes/_User')).status).toBe(403)
    await patch('_User', { permissions: { find: 'public' } })
    expect((await app.request('GET', '/1.1/classes/_User')).status).toBe(200)
    await patch('_User', { permissions: { find: 'master' } })
  })
})

describe('default ACL', () => {
  const aclOf = async (id: string) => (await app.sql('SELECT acl FROM "Noted" WHERE id = $1', [id])).rows[0].acl

  test('_owner stands for the creating user; an explicit ACL takes precedence', async () => {
    const template = { '*': { read: true }, _owner: { write: true }, 'role:editor': { write: true } }
    expect((await patch('Noted', { defaultAcl: template })).body.defaultAcl).toEqual(template)
    const { body: owned } = await create('Noted', {}, { session: ann.session })
    expect(await aclOf(owned.objectId)).toEqual({
      '*': { read: true },
      [ann.id]: { write: true },
      'role:editor': { write: true },
    })
    expect((await update('Noted', owned.objectId, { a: 1 })).status).toBe(403)
    expect((await update('Noted', owned.objectId, { a: 1 }, { session: ann.session })).status).toBe(200)

    const { body: anonymous } = await create('Noted', {})
    expect(await aclOf(anonymous.objectId)).toEqual({ '*': { read: true }, 'role:editor': { write: true } })
    const { body: own } = await create('Noted', { ACL: { '*': { write: true } } }, { session: ann.session })
    expect(await aclOf(own.objectId)).toEqual({ '*': { write: true } })
  })

  test('applies to objects of a batch', async () => {
    const requests = [1, 2].map((a) => ({ method: 'POST', path: '/1.1/classes/Noted', body: { a } }))
    const { body } = await app.request('POST', '/1.1/batch', { session: ann.session, body: { requests } })
    for (const { success } of body) expect(await aclOf(success.objectId)).toMatchObject({ [ann.id]: { write: true } })
  })

  test('null removes it', async () => {
    expect((await patch('Noted', { defaultAcl: null })).body.defaultAcl).toEqual({ '*': { read: true, write: true } })
    const { body } = await create('Noted', {}, { session: ann.session })
    expect(await aclOf(body.objectId)).toBeNull()
  })
})

describe('field options', () => {
  test('required: a create without the field gets error 113', async () => {
    await create('Required', { name: 'x', other: 1 })
    await patch('Required', { fields: { name: { required: true } } })
    for (const body of [{}, { other: 1 }, { name: null }]) expect((await create('Required', body)).body.code).toBe(113)
    expect((await create('Required', { name: '' })).status).toBe(201)
    const requests = [{ name: 'a' }, {}].map((body) => ({ method: 'POST', path: '/1.1/classes/Required', body }))
    const { body } = await app.request('POST', '/1.1/batch', { body: { requests } })
    expect([body[0].success !== undefined, body[1].error.code]).toEqual([true, 113])
    await patch('Required', { fields: { name: { required: false } } })
    expect((await create('Required', {})).status).toBe(201)
  })

  test('required: a value cannot be removed, unless there is a default', async () => {
    await app.admin('POST', '/classes', {
      className: 'Lasting',
      fields: {
        name: { type: 'String', required: true },
        at: { type: 'Object', required: true },
        colour: { type: 'String', required: true, default: 'blue' },
      },
    })
    const { body } = await create('Lasting', { name: 'x', at: { a: 1 } })
    for (const change of [null, { __op: 'Delete' }, { __op: 'Batch', ops: [{ __op: 'Delete' }] }]) {
      const refused = await update('Lasting', body.objectId, { name: change }, { master: true })
      expect([refused.body.code, refused.body.error]).toEqual([113, expect.stringContaining("'name'")])
    }
    expect((await update('Lasting', body.objectId, { name: 'y', 'at.a': { __op: 'Delete' } })).status).toBe(200)
    expect((await update('Lasting', body.objectId, { colour: { __op: 'Delete' } })).status).toBe(200)
    expect(await read('Lasting', body.objectId)).toMatchObject({ name: 'y', at: {}, colour: 'blue' })
  })

  test('readOnly: a client write gets error 117; the master key can write', async () => {
    const { body } = await create('ReadOnly', { fixed: 1, free: 1 })
    await patch('ReadOnly', { fields: { fixed: { readOnly: true } } })
    expect((await create('ReadOnly', { fixed: 2 })).body.code).toBe(117)
    for (const change of [2, { __op: 'Increment', amount: 1 }, { __op: 'Delete' }])
      expect((await update('ReadOnly', body.objectId, { fixed: change })).body.code).toBe(117)
    expect((await update('ReadOnly', body.objectId, { free: 2 })).status).toBe(200)
    expect((await update('ReadOnly', body.objectId, { fixed: 3 }, { master: true })).status).toBe(200)
    expect(await read('ReadOnly', body.objectId)).toMatchObject({ fixed: 3, free: 2 })
  })

  test('hidden: never returned to clients, whatever they request; the master key sees it', async () => {
    const { body } = await create('Hidden', { secret: 'x', open: 1 })
    const { body: referring } = await create('Referring', {
      to: { __type: 'Pointer', className: 'Hidden', objectId: body.objectId },
    })
    await patch('Hidden', { fields: { secret: { hidden: true } } })
    const seen = [
      await read('Hidden', body.objectId),
      await read('Hidden', body.objectId, { query: { keys: 'secret' } }),
      (await app.request('GET', '/1.1/classes/Hidden')).body,
      (await app.request('GET', '/1.1/classes/Hidden', { query: { keys: 'secret,open' } })).body,
      await read('Referring', referring.objectId, { query: { include: 'to' } }),
      (await update('Hidden', body.objectId, { secret: 'x' }, { query: { fetchWhenSave: 'true' } })).body,
      (await create('Hidden', { secret: 'x' }, { query: { fetchWhenSave: 'true' } })).body,
    ]
    for (const answer of seen) expect(JSON.stringify(answer)).not.toContain('secret')
    expect(await read('Hidden', body.objectId, { master: true })).toMatchObject({ secret: 'x', open: 1 })
  })

  test('hidden: clients cannot use it in conditions; the master key can', async () => {
    await app.admin('POST', '/classes', {
      className: 'Secret',
      fields: {
        secret: { type: 'String', hidden: true },
        friends: { type: 'Relation', className: 'Secret', hidden: true },
        friend: { type: 'Pointer', className: 'Secret', hidden: true },
        open: { type: 'String' },
      },
    })
    const { body: friend } = await create('Secret', { open: 'a friend' })
    const pointer = { __type: 'Pointer', className: 'Secret', objectId: friend.objectId }
    const { body } = await create('Secret', {
      secret: 'x',
      open: 'x',
      friend: pointer,
      friends: { __op: 'AddRelation', objects: [pointer] },
    })
    const inner = { className: 'Secret', where: { secret: 'x' } }
    const object = { __type: 'Pointer', className: 'Secret', objectId: body.objectId }
    const queries: Record<string, string>[] = [
      { where: JSON.stringify({ secret: 'x' }) },
      { where: JSON.stringify({ 'secret.length': 1 }) },
      { where: JSON.stringify({ $or: [{ open: 'y' }, { secret: { $regex: '^x' } }] }) },
      { where: JSON.stringify({ friend: { $inQuery: { className: 'Secret', where: {} } } }) },
      { where: JSON.stringify({ open: { $select: { query: { className: 'Secret', where: {} }, key: 'secret' } } }) },
      { where: JSON.stringify({ open: { $select: { query: inner, key: 'open' } } }) },
      { where: JSON.stringify({ objectId: { $notInQuery: inner } }) },
      { where: JSON.stringify({ $relatedTo: { object, key: 'friends' } }) },
      { order: 'secret' },
      { order: '-open,secret' },
      { where: JSON.stringify({ secret: { $exists: true } }), count: '1', limit: '0' },
    ]
    for (const query of queries) {
      const refused = await app.request('GET', '/1.1/classes/Secret', { query })
      expect([refused.status, refused.body.code], JSON.stringify(query)).toEqual([403, 403])
      expect((await app.request('GET', '/1.1/classes/Secret', { query, master: true })).status).toBe(200)
    }
    const cql = (text: string, options: RequestOptions = {}) =>
      app.request('GET', '/1.1/cloudQuery', { query: { cql: text }, ...options })
    for (const text of [
      "select * from Secret where secret = 'x'",
      'select * from Secret order by secret',
      'select * from Secret where open in (select secret from Secret)',
    ]) {
      expect((await cql(text)).body.code, text).toBe(403)
      expect((await cql(text, { master: true })).status, text).toBe(200)
    }
    expect(JSON.stringify((await cql('select secret, open from Secret')).body)).not.toContain('secret')
    const conditional = await update('Secret', body.objectId, { open: 'z' }, { query: { where: '{"secret":"x"}' } })
    expect(conditional.body.code).toBe(403)
    const subscribed = await app.request('POST', '/1.1/LiveQuery/subscribe', {
      body: { id: 'a', query: { className: 'Secret', where: { secret: 'x' } } },
    })
    expect(subscribed.status).toBe(403)
    const shown = await app.request('GET', '/1.1/classes/Secret', {
      query: { include: 'friend', keys: 'friend,secret' },
    })
    expect(JSON.stringify(shown.body)).not.toMatch(/friend|secret/)
  })

  test('userPrivate: only the user itself and the master key see it', async () => {
    const bob = await app.makeUser('bob')
    const change = { fields: { birthday: { type: 'String', userPrivate: true } }, permissions: { find: 'public' } }
    expect((await patch('_User', change)).status).toBe(200)
    const own = { session: ann.session }
    await app.request('PUT', `/1.1/users/${ann.id}`, { ...own, body: { birthday: '1990' } })
    const seen = async (options: RequestOptions) => (await app.request('GET', `/1.1/users/${ann.id}`, options)).body
    expect(await seen(own)).toMatchObject({ birthday: '1990' })
    expect(await seen({ master: true })).toMatchObject({ birthday: '1990' })
    expect(await seen({ session: bob.session })).not.toHaveProperty('birthday')
    const { results } = (await app.request('GET', '/1.1/users', { session: bob.session })).body
    expect(results.map(({ objectId }: { objectId: string }) => objectId)).toContain(ann.id)
    // A text search would match ids with the same digits.
    for (const user of results) expect(user).not.toHaveProperty('birthday')
    const asked = await app.request('GET', '/1.1/users', { query: { where: '{"birthday":"1990"}' } })
    expect(asked.body.code).toBe(403)
    await patch('_User', { permissions: { find: 'master' } })
    const elsewhere = await patch('Elsewhere', { fields: { a: { type: 'String', userPrivate: true } } })
    expect(elsewhere.body.error).toMatch(/fields\.a\.userPrivate.*_User/)
  })

  test('autoIncrement: each new object gets the next number, also concurrently', async () => {
    for (const n of [3, 7.5]) await create('Counted', { n })
    await patch('Counted', { fields: { n: { autoIncrement: true } } })
    const { body: saved } = await create('Counted', {}, { query: { fetchWhenSave: 'true' } })
    expect(saved.n).toBe(8)
    const requests = Array.from({ length: 5 }, () => ({ method: 'POST', path: '/1.1/classes/Counted', body: {} }))
    await Promise.all([
      app.request('POST', '/1.1/batch', { body: { requests } }),
      ...Array.from({ length: 10 }, () => create('Counted', {})),
    ])
    const { results } = (await app.request('GET', '/1.1/classes/Counted', { query: { order: 'n' } })).body
    expect(results.map(({ n }: { n: number }) => n)).toEqual([3, 7.5, ...Array.from({ length: 16 }, (_, i) => i + 8)])
    expect((await create('Counted', { n: 1 })).body.code).toBe(117)
    expect((await update('Counted', saved.objectId, { n: { __op: 'Increment', amount: 1 } })).body.code).toBe(117)
    expect((await create('Counted', { n: 1000 }, { master: true })).status).toBe(201)
    // Setting it again, together with other options, keeps the counter.
    await patch('Counted', { fields: { n: { autoIncrement: true, comment: 'the number' } } })
    expect((await create('Counted', {}, { query: { fetchWhenSave: 'true' } })).body.n).toBe(24)
    for (const field of [{ type: 'String' }, { type: 'Number', default: 1 }]) {
      const wrong = await patch('Counted', { fields: { other: { ...field, autoIncrement: true } } })
      expect(wrong.body.error).toMatch(/fields\.other\.autoIncrement/)
    }
    expect((await app.admin('DELETE', '/classes/Counted')).status).toBe(200)
    await app.admin('POST', '/classes', {
      className: 'Counted',
      fields: { n: { type: 'Number', autoIncrement: true } },
    })
    expect((await create('Counted', {}, { query: { fetchWhenSave: 'true' } })).body.n).toBe(1)
  })

  test('default: replaces the missing field of an object', async () => {
    const { body } = await create('Default', { n: 1 })
    const { body: filled } = await create('Default', { colour: 'red' })
    await patch('Default', { fields: { colour: { default: 'blue' } } })
    expect((await read('Default', body.objectId)).colour).toBe('blue')
    expect((await read('Default', filled.objectId)).colour).toBe('red')
    const { results } = (await app.request('GET', '/1.1/classes/Default')).body
    expect(results.map((one: { colour: string }) => one.colour)).toEqual(['blue', 'red'])
    const { body: saved } = await create('Default', { n: 2 }, { query: { fetchWhenSave: 'true' } })
    expect(saved.colour).toBe('blue')
    const { body: changed } = await update(
      'Default',
      filled.objectId,
      { colour: { __op: 'Delete' } },
      { query: { fetchWhenSave: 'true' } },
    )
    expect(changed.colour).toBe('blue')
    // Conditions match stored values only.
    const found = await app.request('GET', '/1.1/classes/Default', { query: { where: '{"colour":"blue"}' } })
    expect(found.body.results).toEqual([])
    await patch('Default', { fields: { done: { type: 'Boolean', default: false }, colour: { default: null } } })
    expect(await read('Default', body.objectId)).toMatchObject({ done: false })
    expect(await read('Default', body.objectId)).not.toHaveProperty('colour')
    const wrong = await patch('Default', {
      fields: { colour: { default: { __type: 'GeoPoint', latitude: 91, longitude: 0 } } },
    })
    expect(wrong.status).toBe(400)
  })

  test('options are merged, and shown with the field', async () => {
    await create('Merged', { a: 1 })
    await patch('Merged', { fields: { a: { required: true } } })
    await patch('Merged', { fields: { a: { readOnly: true } } })
    expect((await show('Merged')).fields.a).toEqual({ type: 'Number', required: true, readOnly: true })
  })
})

describe('unique indexes', () => {
  test('a duplicate value gets error 137 in creates, updates and batches; absent values are exempt', async () => {
    await create('Unique', { code: 'a' })
    const { body } = await patch('Unique', { indexes: [{ fields: ['code'], unique: true }] })
    expect(body.indexes).toEqual(['unique code'])
    expect((await create('Unique', { code: 'a' })).body.code).toBe(137)
    const { body: other } = await create('Unique', { code: 'b' })
    expect((await update('Unique', other.objectId, { code: 'a' })).body.code).toBe(137)
    for (const absent of [{}, {}, { code: null }, { code: null }])
      expect((await create('Unique', absent)).status).toBe(201)
    const requests = ['c', 'a', 'c', 'd'].map((code) => ({
      method: 'POST',
      path: '/1.1/classes/Unique',
      body: { code },
    }))
    const results = (await app.request('POST', '/1.1/batch', { body: { requests } })).body
    expect(results.map(({ error }: { error?: { code: number } }) => error?.code)).toEqual([
      undefined,
      137,
      137,
      undefined,
    ])
  })

  test('200 parallel creates of one value create one object', async () => {
    await create('Race', { code: 0 })
    await patch('Race', { indexes: [{ fields: ['code'], unique: true }] })
    const answers = await Promise.all(Array.from({ length: 200 }, () => create('Race', { code: 1 })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 137)).toHaveLength(199)
  })

  test('of several fields: the combination is unique', async () => {
    await create('Pairs', { shop: 'x', number: 1 })
    await patch('Pairs', { indexes: [{ fields: ['shop', 'number'], unique: true }] })
    expect((await create('Pairs', { shop: 'x', number: 2 })).status).toBe(201)
    expect((await create('Pairs', { shop: 'y', number: 1 })).status).toBe(201)
    expect((await create('Pairs', { shop: 'y', number: 1 })).body.code).toBe(137)
  })

  test('can cover fields declared with it, or without values', async () => {
    const body = {
      className: 'Ready',
      fields: { code: { type: 'String' }, owner: { type: 'Pointer', className: '_User' } },
      indexes: [
        { fields: ['code'], unique: true },
        { fields: ['owner', 'code'], unique: true },
        { fields: ['-createdAt'] },
      ],
    }
    expect((await app.admin('POST', '/classes', body)).body.indexes).toEqual([
      'unique code',
      'unique owner,code',
      '-createdAt',
    ])
    expect((await create('Ready', { code: 'a' })).status).toBe(201)
    expect((await create('Ready', { code: 'a' })).body.code).toBe(137)
    // Repeating it changes nothing.
    expect((await patch('Ready', { indexes: body.indexes })).body.indexes).toHaveLength(3)
  })

  test('an invalid one leaves the class unchanged, including the other requested changes', async () => {
    for (const code of ['a', 'a']) await create('Whole', { code, other: code })
    const before = await show('Whole')
    const { status, body } = await patch('Whole', {
      permissions: { find: 'master' },
      fields: { fresh: { type: 'String' } },
      indexes: [{ fields: ['other'] }, { fields: ['code'], unique: true }],
    })
    expect([status, body.code, body.error]).toEqual([400, 137, expect.stringContaining("'code'")])
    const wrongType = await patch('Whole', {
      fields: { fresh: { type: 'String' }, code: { type: 'Number' } },
      indexes: [{ fields: ['other'] }],
    })
    expect([wrongType.status, wrongType.body.code]).toEqual([400, 111])
    expect(await show('Whole')).toEqual(before)
  })

  test('is rejected when values repeat, and leaves nothing behind', async () => {
    for (const code of ['a', 'a']) await create('Repeats', { code })
    const { status, body } = await patch('Repeats', { indexes: [{ fields: ['code'], unique: true }] })
    expect([status, body.code]).toEqual([400, 137])
    expect((await show('Repeats')).indexes).toEqual([])
    const { rows } = await app.sql(`SELECT FROM pg_index WHERE indrelid = '"Repeats"'::regclass AND NOT indisprimary`)
    expect(rows).toEqual([])
    expect((await create('Repeats', { code: 'a' })).status).toBe(201)
  })
})
