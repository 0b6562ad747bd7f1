import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, save, stored } from '../support/sdk.ts'

const app = await makeSdkApp()

describe('an object', () => {
  it('is saved, and gets an id and equal times of creation and update', async () => {
    const post = await save('Post', { title: 'Hello' })
    expect(post.id).toMatch(/^[0-9a-f]{24}$/)
    expect(post.createdAt).toBeInstanceOf(Date)
    expect(post.updatedAt).toEqual(post.createdAt)
    const read = await stored(post)
    expect(read.get('title')).toBe('Hello')
    expect(read.createdAt).toEqual(post.createdAt)
    expect(read.updatedAt).toEqual(post.createdAt)
  })

  it('can be empty', async () => {
    const empty = await new AV.Object('Empty').save()
    expect((await stored(empty)).toJSON()).toEqual({
      objectId: empty.id,
      createdAt: empty.createdAt!.toJSON(),
      updatedAt: empty.updatedAt!.toJSON(),
    })
  })

  it('is updated in the changed fields only', async () => {
    const post = await save('Post', { title: 'Hello', likes: 1 })
    const other = AV.Object.createWithoutData('Post', post.id!)
    await other.save('title', 'Bye')
    expect(other.updatedAt!.getTime()).toBeGreaterThanOrEqual(post.updatedAt!.getTime())
    const read = await stored(post)
    expect(read.get('title')).toBe('Bye')
    expect(read.get('likes')).toBe(1)
    expect(read.createdAt).toEqual(post.createdAt)
    expect(read.updatedAt).toEqual(other.updatedAt)
  })

  it('is fetched with selected keys', async () => {
    const post = await save('Post', { title: 'Hello', likes: 1 })
    const read = await AV.Object.createWithoutData('Post', post.id!).fetch({ keys: ['likes'] })
    expect(read.get('likes')).toBe(1)
    expect(read.has('title')).toBe(false)
  })

  it('is fetched with included pointers', async () => {
    const author = await save('Author', { name: 'Ann' })
    const post = await save('Post', { author })
    const read = await AV.Object.createWithoutData('Post', post.id!).fetch({ include: ['author'] })
    expect(read.get('author').get('name')).toBe('Ann')
  })

  it('is deleted by destroy, and destroying it again succeeds', async () => {
    const post = await save('Post', { title: 'Hello' })
    await post.destroy()
    expect(await new AV.Query('Post').equalTo('objectId', post.id).count()).toBe(0)
    await AV.Object.createWithoutData('Post', post.id!).destroy()
  })

  it('that does not exist cannot be updated: code 1', async () => {
    await save('Post', {})
    const missing = AV.Object.createWithoutData('Post', '0123456789abcdef01234567')
    await expect(missing.save({ title: 'x' })).rejects.toMatchObject({
      code: 1,
      rawMessage: "Could not find object by id '0123456789abcdef01234567' for class 'Post'.",
    })
  })
})

describe('values', () => {
  const at = new Date('2024-02-29T12:34:56.789Z')
  const values: [type: string, value: unknown][] = [
    ['a text', 'Grüße, 世界 👋'],
    ['an empty text', ''],
    ['a text of control characters and quotes', 'a\t"b"\\\n\u2028'],
    ['an integer', 42],
    ['zero', 0],
    ['a negative number', -7],
    ['a fraction', 0.1],
    ['a large number', 1e21],
    ['the largest exact integer', Number.MAX_SAFE_INTEGER],
    ['true', true],
    ['false', false],
    ['an array of mixed values', ['a', 1, true, null, ['nested'], { x: 1 }]],
    ['an empty array', []],
    ['an object', { city: 'Oslo', nested: { deep: [1, 2] }, none: null }],
    ['an empty object', {}],
    ['a Date', at],
    ['Dates within arrays and objects', { list: [at], at }],
    ['Bytes', { __type: 'Bytes', base64: 'AAEC/w==' }],
  ]
  it.each(values)('%s is returned unchanged', async (type, value) => {
    const object = await save(`Value${values.findIndex(([name]) => name === type)}`, { value })
    expect((await stored(object)).get('value')).toEqual(value)
  })

  it('a GeoPoint is returned as one', async () => {
    const place = await save('Place', { location: new AV.GeoPoint(59.91, 10.75) })
    const location = (await stored(place)).get('location')
    expect(location).toBeInstanceOf(AV.GeoPoint)
    expect(location).toMatchObject({ latitude: 59.91, longitude: 10.75 })
  })

  it('a GeoPoint out of range gets error 302', async () => {
    const location = { __type: 'GeoPoint', latitude: 91, longitude: 0 }
    await expect(app.request('POST', '/1.1/classes/Place', { body: { location } })).resolves.toMatchObject({
      status: 400,
      body: { code: 302 },
    })
  })

  it('a pointer is returned without the data of its target', async () => {
    const author = await save('Author', { name: 'Ann' })
    const post = await save('Post', { author })
    const pointer = (await stored(post)).get('author')
    expect(pointer).toBeInstanceOf(AV.Object)
    expect(pointer.className).toBe('Author')
    expect(pointer.id).toBe(author.id)
    expect(pointer.has('name')).toBe(false)
  })

  it('pointers within arrays and objects are returned as objects', async () => {
    const [a, b] = [await save('Author', { name: 'Ann' }), await save('Author', { name: 'Bo' })]
    const post = await save('Post', { readers: [a, b], credits: { editor: b } })
    const read = await stored(post)
    expect(read.get('readers').map((reader: AV.Object) => reader.id)).toEqual([a.id, b.id])
    expect(read.get('credits').editor.id).toBe(b.id)
  })

  it('a file record is returned expanded', async () => {
    const file = await AV.File.withURL('cat.png', 'https://example.com/cat.png').save()
    const post = await save('Post', { picture: file })
    const picture = (await stored(post)).get('picture') as AV.File
    expect(picture).toBeInstanceOf(AV.File)
    expect(picture.id).toBe(file.id)
    expect(picture.name()).toBe('cat.png')
    expect(picture.url()).toBe('https://example.com/cat.png')
  })

  it('null is stored and fits a field of any type', async () => {
    await save('Nullable', { text: 'a', count: 1 })
    const object = await save('Nullable', { text: null, count: null })
    const { body } = await app.request('GET', `/1.1/classes/Nullable/${object.id}`)
    expect(body).toMatchObject({ text: null, count: null })
  })
})

describe('field operations', () => {
  it('increment adds to what is stored, not to what the client knows', async () => {
    const counter = await save('Counter', { n: 1 })
    await AV.Object.createWithoutData('Counter', counter.id!).increment('n', 5).save()
    await counter.increment('n').save(null, { fetchWhenSave: true })
    expect(counter.get('n')).toBe(7)
    await counter.increment('n', -10).save(null, { fetchWhenSave: true })
    expect(counter.get('n')).toBe(-3)
  })

  it('increment starts an absent field at 0', async () => {
    const counter = await save('Counter', {})
    await counter.increment('n', 2.5).save(null, { fetchWhenSave: true })
    expect(counter.get('n')).toBe(2.5)
    const created = await new AV.Object('Counter').increment('n', 3).save()
    expect((await stored(created)).get('n')).toBe(3)
  })

  it('add appends, addUnique appends what is absent, remove takes all occurrences', async () => {
    const list = await save('List', { tags: ['a', 'b'] })
    const blind = () => AV.Object.createWithoutData('List', list.id!)
    await blind().add('tags', ['b', 'c']).save()
    expect((await stored(list)).get('tags')).toEqual(['a', 'b', 'b', 'c'])
    await blind().addUnique('tags', ['c', 'd']).save()
    expect((await stored(list)).get('tags').toSorted()).toEqual(['a', 'b', 'b', 'c', 'd'])
    await blind().remove('tags', ['b', 'absent']).save()
    expect((await stored(list)).get('tags').toSorted()).toEqual(['a', 'c', 'd'])
  })

  it('array operations compare objects, pointers and dates by value', async () => {
    const friend = await save('Author', {})
    const at = new Date('2024-01-01T00:00:00.000Z')
    const list = await save('List', { mixed: [{ x: 1, y: 2 }, friend, at] })
    const blind = () => AV.Object.createWithoutData('List', list.id!)
    await blind()
      .addUnique('mixed', [{ y: 2, x: 1 }, friend, at])
      .save()
    expect((await stored(list)).get('mixed')).toHaveLength(3)
    await blind()
      .remove('mixed', [friend, { y: 2, x: 1 }])
      .save()
    expect((await stored(list)).get('mixed')).toEqual([at])
  })

  it('array operations start an absent field as an empty array', async () => {
    const list = await save('List', {})
    await list.add('added', 1).addUnique('unique', 1).remove('removed', 1).save()
    const read = await stored(list)
    expect(read.get('added')).toEqual([1])
    expect(read.get('unique')).toEqual([1])
    expect(read.get('removed') ?? []).toEqual([])
  })

  it('unset removes a field', async () => {
    const post = await save('Post', { title: 'Hello', likes: 1 })
    post.unset('title')
    await post.save()
    const { body } = await app.request('GET', `/1.1/classes/Post/${post.id}`)
    expect(body).not.toHaveProperty('title')
    expect(body.likes).toBe(1)
  })

  it('bitAnd, bitOr and bitXor change the stored bits', async () => {
    const flags = await save('Flags', { and: 0b1110, or: 0b0001, xor: 0b0110 })
    const blind = AV.Object.createWithoutData('Flags', flags.id!)
    await blind.bitAnd('and', 0b0111).bitOr('or', 0b1000).bitXor('xor', 0b0011).save()
    expect((await stored(flags)).attributes).toMatchObject({ and: 0b0110, or: 0b1001, xor: 0b0101 })
  })

  it('bit operations start an absent field at 0', async () => {
    const flags = await new AV.Object('Flags').bitAnd('and', 1).bitOr('or', 1).bitXor('xor', 1).save()
    expect((await stored(flags)).attributes).toMatchObject({ and: 0, or: 1, xor: 1 })
  })

  it('several operations take effect in one save', async () => {
    const post = await save('Post', { title: 'Hello', likes: 1, tags: ['a'], draft: true })
    const blind = AV.Object.createWithoutData('Post', post.id!)
    blind.set('title', 'Bye').increment('likes').add('tags', 'b')
    blind.unset('draft')
    await blind.save()
    const read = await stored(post)
    expect(read.attributes).toMatchObject({ title: 'Bye', likes: 2, tags: ['a', 'b'] })
    expect(read.has('draft')).toBe(false)
  })

  it('a dotted key changes a part of an object and leaves its other parts', async () => {
    const user = await save('Profile', {
      profile: { city: 'Rome', street: 'Corso', visits: 1, tags: ['x'], inner: { zip: '0', no: 4 } },
    })
    user.set('profile.city', 'Oslo')
    user.increment('profile.visits', 2)
    user.unset('profile.street')
    user.add('profile.tags', 'y')
    user.set('profile.inner.zip', '0150')
    await user.save()
    expect((await stored(user)).get('profile')).toEqual({
      city: 'Oslo',
      visits: 3,
      tags: ['x', 'y'],
      inner: { zip: '0150', no: 4 },
    })
  })

  it('an operation on a value of another type gets error 111', async () => {
    const post = await save('Typed', { text: 'a', n: 1, list: [1] })
    const blind = () => AV.Object.createWithoutData('Typed', post.id!)
    await expect(blind().increment('text').save()).rejects.toMatchObject({ code: 111 })
    await expect(blind().add('n', 1).save()).rejects.toMatchObject({ code: 111 })
    await expect(blind().bitOr('list', 1).save()).rejects.toMatchObject({ code: 111 })
    expect((await stored(post)).attributes).toMatchObject({ text: 'a', n: 1, list: [1] })
  })
})

describe('fetchWhenSave', () => {
  it('returns the whole object after a create', async () => {
    await app.admin('PATCH', '/classes/Fetched', {})
    await save('Fetched', { level: 1 })
    await app.admin('PATCH', '/classes/Fetched', { fields: { level: { default: 7 } } })
    const object = await new AV.Object('Fetched').save({ name: 'a' }, { fetchWhenSave: true })
    expect(object.get('level')).toBe(7)
    expect(object.get('name')).toBe('a')
    expect(object.createdAt).toBeInstanceOf(Date)
  })

  it('returns only the changed fields after an update', async () => {
    const object = await save('Fetched', { level: 1, name: 'a' })
    await AV.Object.createWithoutData('Fetched', object.id!).save({ level: 5, name: 'b' })
    await object.increment('level').save(null, { fetchWhenSave: true })
    expect(object.get('level')).toBe(6)
    expect(object.get('name')).toBe('a')
  })

  it('works for saveAll too', async () => {
    const first = await save('Fetched', { level: 1 })
    const second = await save('Fetched', { level: 10 })
    await AV.Object.createWithoutData('Fetched', first.id!).save({ level: 5 })
    await AV.Object.saveAll([first.increment('level'), second.increment('level')], { fetchWhenSave: true })
    expect([first.get('level'), second.get('level')]).toEqual([6, 11])
  })
})

describe('a conditional save', () => {
  it('applies when the object meets the condition', async () => {
    const account = await save('Account', { balance: 10 })
    const query = new AV.Query<AV.Object>('Account').greaterThanOrEqualTo('balance', 4)
    await account.increment('balance', -4).save(null, { query, fetchWhenSave: true })
    expect(account.get('balance')).toBe(6)
  })

  it('gets error 305 and changes nothing when it does not', async () => {
    const account = await save('Account', { balance: 3 })
    const query = new AV.Query<AV.Object>('Account').greaterThanOrEqualTo('balance', 4)
    await expect(account.increment('balance', -4).save(null, { query })).rejects.toMatchObject({
      code: 305,
      rawMessage: 'No effect on updating/deleting a document.',
    })
    expect((await stored(account)).get('balance')).toBe(3)
  })
})

describe('an object graph', () => {
  it('is saved children first when the parent is saved', async () => {
    const city = new AV.Object('City').set('name', 'Turku')
    const author = new AV.Object('Author').set('name', 'Ann').set('city', city)
    const comments = ['first', 'second'].map((text) => new AV.Object('Comment').set('text', text))
    const post = await new AV.Object('Post').save({ author, comments, nested: { city } })
    for (const child of [city, author, ...comments]) expect(child.id).toMatch(/^[0-9a-f]{24}$/)
    const read = await new AV.Query('Post').include('author.city', 'comments').get(post.id!)
    expect(read.get('author').get('city').get('name')).toBe('Turku')
    expect(read.get('comments').map((comment: AV.Object) => comment.get('text'))).toEqual(['first', 'second'])
    expect(read.get('nested').city.id).toBe(city.id)
  })

  it('with a new file record is saved completely', async () => {
    const post = await new AV.Object('Post').save({ picture: AV.File.withURL('a.png', 'https://example.com/a.png') })
    expect((await stored(post)).get('picture').url()).toBe('https://example.com/a.png')
  })

  it('saves changed children that already have ids', async () => {
    const author = await save('Author', { name: 'Ann' })
    author.set('name', 'Anna')
    await new AV.Object('Post').save({ author })
    expect((await stored(author)).get('name')).toBe('Anna')
  })
})

describe('several objects', () => {
  it('are created and updated by one saveAll', async () => {
    const old = await save('Many', { n: 0 })
    old.increment('n')
    const fresh = Array.from({ length: 20 }, (_, index) => new AV.Object('Many').set('n', 100 + index))
    await AV.Object.saveAll([old, ...fresh])
    expect(new Set(fresh.map(({ id }) => id)).size).toBe(20)
    const found = await new AV.Query('Many').ascending('n').find()
    expect(found.map((object) => object.get('n'))).toEqual([1, ...fresh.map((object) => object.get('n'))])
    expect(found.slice(1).map(({ id }) => id)).toEqual(fresh.map(({ id }) => id))
  })

  it('are saved independently: the first error is thrown, the others are stored', async () => {
    await save('Mixed', { n: 1 })
    const good = new AV.Object('Mixed').set('n', 2)
    const bad = new AV.Object('Mixed').set('n', 'three')
    const last = new AV.Object('Mixed').set('n', 4)
    await expect(AV.Object.saveAll([good, bad, last])).rejects.toMatchObject({ code: 111 })
    const found = await new AV.Query('Mixed').ascending('n').find()
    expect(found.map((object) => object.get('n'))).toEqual([1, 2, 4])
    expect(bad.id).toBeUndefined()
  })

  it('of several classes are deleted by one destroyAll', async () => {
    const objects = [await save('Doomed', {}), await save('Doomed', {}), await save('DoomedToo', {})]
    const survivor = await save('Doomed', {})
    await AV.Object.destroyAll(objects)
    expect((await new AV.Query('Doomed').find()).map(({ id }) => id)).toEqual([survivor.id])
    expect(await new AV.Query('DoomedToo').count()).toBe(0)
  })

  it('are fetched by one fetchAll', async () => {
    const saved = [await save('Many', { text: 'a' }), await save('Author', { name: 'b' })]
    const blind = saved.map(({ className, id }) => AV.Object.createWithoutData(className, id!))
    await AV.Object.fetchAll(blind)
    expect(blind[0]!.get('text')).toBe('a')
    expect(blind[1]!.get('name')).toBe('b')
  })

  it('fetchAll throws 101 for an object that does not exist', async () => {
    const saved = await save('Many', { text: 'a' })
    const blind = [saved.id!, '0123456789abcdef01234567'].map((id) => AV.Object.createWithoutData('Many', id))
    await expect(AV.Object.fetchAll(blind)).rejects.toMatchObject({ code: 101 })
    expect(blind[0]!.get('text')).toBe('a')
  })
})

describe('errors', () => {
  it('an invalid key name is 105 with the name', async () => {
    await expect(save('Post', { 'bad-key': 1 })).rejects.toMatchObject({
      code: 105,
      rawMessage:
        "Invalid key name. Keys are case-sensitive and 'a-zA-Z0-9_' are the only valid characters. The column is: 'bad-key'.",
    })
  })

  it('an invalid class name is 103', async () => {
    await expect(save('1Post', {})).rejects.toMatchObject({ code: 103 })
    await expect(save('_Unknown', {})).rejects.toMatchObject({ code: 103 })
  })

  it('a value of another type than the field has is 111 with both types', async () => {
    await save('Fixed', { n: 1 })
    await expect(save('Fixed', { n: 'text' })).rejects.toMatchObject({
      code: 111,
      rawMessage: expect.stringContaining('expect type is {:type "Number"},but it is \'{:type "String"}\''),
    })
  })

  it('a pointer to another class than the field has is 111', async () => {
    await save('Fixed', { owner: await save('Author', {}) })
    await expect(save('Fixed', { owner: await save('Post', {}) })).rejects.toMatchObject({ code: 111 })
  })

  it('a nested key with a dot or dollar is 121', async () => {
    await expect(save('Post', { nested: { 'a.b': 1 } })).rejects.toMatchObject({ code: 121 })
    await expect(save('Post', { nested: { inner: { $a: 1 } } })).rejects.toMatchObject({ code: 121 })
  })

  it('a dotted key in a create is 105', async () => {
    await expect(app.request('POST', '/1.1/classes/Post', { body: { 'a.b': 1 } })).resolves.toMatchObject({
      body: { code: 105 },
    })
  })

  it('a wrong key is 401', async () => {
    AV.applicationKey = 'wrong-application-key'
    try {
      await expect(save('Post', {})).rejects.toMatchObject({ code: 401, rawMessage: 'Unauthorized.' })
    } finally {
      AV.applicationKey = app.appKey
    }
  })
})
