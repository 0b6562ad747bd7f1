import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, save } from '../support/sdk.ts'

const app = await makeSdkApp()
const master = { useMasterKey: true }

type Query = AV.Query<AV.Object>

const on = (className: string): Query => new AV.Query<AV.Object>(className)

/** Returns the names of the objects of a query, in order. */
async function names(query: Query): Promise<string[]> {
  return (await query.find()).map((object) => object.get('name'))
}

async function sorted(query: Query): Promise<string[]> {
  return (await names(query)).toSorted()
}

/** Saves an object for each name. */
async function saveNamed(className: string, objects: Record<string, object>): Promise<Map<string, AV.Object>> {
  const saved = Object.entries(objects).map(([name, fields]) => new AV.Object(className).set({ name, ...fields }))
  await AV.Object.saveAll(saved)
  return new Map(saved.map((object) => [object.get('name'), object]))
}

const people = await saveNamed('Person', { ann: { home: 'Oslo' }, bo: { home: 'Rome' }, cy: { home: 'Lima' } })
const things = await saveNamed('Thing', {
  apple: {
    n: 1,
    text: 'apple pie',
    ok: true,
    at: new Date('2024-01-01T00:00:00.000Z'),
    tags: ['red', 'green'],
    address: { city: 'Oslo', zip: 150 },
    owner: people.get('ann'),
    owners: [people.get('ann'), people.get('bo')],
    town: 'Oslo',
  },
  Banana: {
    n: 2,
    text: 'Banana\nsplit',
    ok: false,
    at: new Date('2024-06-01T00:00:00.000Z'),
    tags: ['yellow'],
    address: { city: 'Rome' },
    owner: people.get('bo'),
    owners: [people.get('bo')],
    town: 'Rome',
  },
  cherry: {
    n: 3.5,
    text: 'cherry (1+1)*2 [a-z] ^.$ \\d \\E|? {x}',
    tags: ['red'],
    owner: people.get('cy'),
    town: 'Paris',
  },
  date: { n: -4, text: null, tags: [] },
  emoji: { text: '世界 👋 ünïcode' },
})
const thing = (name: string) => things.get(name)!
const person = (name: string) => people.get(name)!
const ALL = ['Banana', 'apple', 'cherry', 'date', 'emoji']

const constraints: [rule: string, constrain: (query: Query) => Query, expected: string[]][] = [
  ['no constraint finds all', (q) => q, ALL],

  ['equalTo a number', (q) => q.equalTo('n', 2), ['Banana']],
  ['equalTo a fraction', (q) => q.equalTo('n', 3.5), ['cherry']],
  ['equalTo a text minds the case', (q) => q.equalTo('name', 'banana'), []],
  ['equalTo a boolean', (q) => q.equalTo('ok', false), ['Banana']],
  ['equalTo a Date', (q) => q.equalTo('at', new Date('2024-06-01T00:00:00.000Z')), ['Banana']],
  ['equalTo a pointer', (q) => q.equalTo('owner', person('cy')), ['cherry']],
  [
    'equalTo a pointer made from an id',
    (q) => q.equalTo('owner', AV.Object.createWithoutData('Person', person('bo').id!)),
    ['Banana'],
  ],
  [
    'equalTo a pointer to another class with the same id',
    (q) => q.equalTo('owner', AV.Object.createWithoutData('Other', person('bo').id!)),
    [],
  ],
  ['equalTo an element of an array', (q) => q.equalTo('tags', 'red'), ['apple', 'cherry']],
  ['equalTo a pointer in an array', (q) => q.equalTo('owners', person('bo')), ['Banana', 'apple']],
  ['equalTo a whole array minds its order', (q) => q.equalTo('tags', ['red', 'green']), ['apple']],
  ['equalTo another array', (q) => q.equalTo('tags', ['green', 'red']), []],
  ['equalTo an object', (q) => q.equalTo('address', { zip: 150, city: 'Oslo' }), ['apple']],
  ['equalTo part of an object is not equality', (q) => q.equalTo('address', { city: 'Oslo' }), []],
  ['equalTo a dotted key', (q) => q.equalTo('address.city', 'Rome'), ['Banana']],
  ['equalTo a value of another type', (q) => q.equalTo('n', '2'), []],
  ['equalTo null finds null and absent', (q) => q.equalTo('text', null), ['date']],
  ['equalTo null finds objects without the field', (q) => q.equalTo('n', null), ['emoji']],
  ['equalTo on a field that no object has', (q) => q.equalTo('never', 1), []],
  ['equalTo Unicode text', (q) => q.equalTo('text', '世界 👋 ünïcode'), ['emoji']],
  ['equalTo objectId', (q) => q.equalTo('objectId', thing('date').id), ['date']],

  ['notEqualTo finds objects without the field too', (q) => q.notEqualTo('n', 2), ['apple', 'cherry', 'date', 'emoji']],
  ['notEqualTo an element of an array', (q) => q.notEqualTo('tags', 'red'), ['Banana', 'date', 'emoji']],
  ['notEqualTo a pointer', (q) => q.notEqualTo('owner', person('ann')), ['Banana', 'cherry', 'date', 'emoji']],
  ['notEqualTo null finds real values', (q) => q.notEqualTo('text', null), ['Banana', 'apple', 'cherry', 'emoji']],

  ['lessThan', (q) => q.lessThan('n', 2), ['apple', 'date']],
  ['lessThanOrEqualTo', (q) => q.lessThanOrEqualTo('n', 2), ['Banana', 'apple', 'date']],
  ['greaterThan', (q) => q.greaterThan('n', 2), ['cherry']],
  ['greaterThanOrEqualTo', (q) => q.greaterThanOrEqualTo('n', 2), ['Banana', 'cherry']],
  ['two bounds on one key', (q) => q.greaterThan('n', 0).lessThan('n', 3), ['Banana', 'apple']],
  ['bounds and an exclusion on one key', (q) => q.greaterThan('n', 0).lessThan('n', 3).notEqualTo('n', 1), ['Banana']],
  ['texts compare by code point', (q) => q.lessThan('name', 'a'), ['Banana']],
  ['Dates compare as instants', (q) => q.greaterThan('at', new Date('2024-01-01T00:00:00.000Z')), ['Banana']],
  ['comparison matches values of its own type only', (q) => q.greaterThan('n', ''), []],
  ['comparison never matches null', (q) => q.lessThan('text', 'zzz'), ['Banana', 'apple', 'cherry']],
  ['comparison of a dotted key', (q) => q.greaterThan('address.zip', 100), ['apple']],
  ['createdAt compares with a Date', (q) => q.lessThanOrEqualTo('createdAt', new Date(Date.now() + 60_000)), ALL],
  ['createdAt of later finds nothing', (q) => q.greaterThan('createdAt', new Date(Date.now() + 60_000)), []],
  ['objectId compares as text', (q) => q.greaterThan('objectId', thing('cherry').id), ['date', 'emoji']],

  ['containedIn', (q) => q.containedIn('n', [1, 3.5, 99]), ['apple', 'cherry']],
  [
    'containedIn of an array field: one element is enough',
    (q) => q.containedIn('tags', ['green', 'yellow']),
    ['Banana', 'apple'],
  ],
  ['containedIn pointers', (q) => q.containedIn('owner', [person('ann'), person('cy')]), ['apple', 'cherry']],
  ['containedIn ids', (q) => q.containedIn('objectId', [thing('date').id, thing('apple').id]), ['apple', 'date']],
  ['containedIn nothing', (q) => q.containedIn('n', []), []],
  [
    'notContainedIn finds objects without the field too',
    (q) => q.notContainedIn('n', [1, 2]),
    ['cherry', 'date', 'emoji'],
  ],
  ['notContainedIn of an array field', (q) => q.notContainedIn('tags', ['red']), ['Banana', 'date', 'emoji']],
  ['notContainedIn nothing', (q) => q.notContainedIn('n', []), ALL],
  [
    'exists with notContainedIn finds real values',
    (q) => q.exists('text').notContainedIn('text', ['', null]),
    ['Banana', 'apple', 'cherry', 'emoji'],
  ],
  ['containsAll', (q) => q.containsAll('tags', ['green', 'red']), ['apple']],
  ['containsAll takes a scalar as an array of one', (q) => q.containsAll('n', [2]), ['Banana']],
  ['sizeEqualTo', (q) => q.sizeEqualTo('tags', 1), ['Banana', 'cherry']],
  ['sizeEqualTo zero', (q) => q.sizeEqualTo('tags', 0), ['date']],

  ['exists', (q) => q.exists('n'), ['Banana', 'apple', 'cherry', 'date']],
  ['exists on a dotted key', (q) => q.exists('address.zip'), ['apple']],
  ['exists matches null', (q) => q.exists('text'), ALL],
  ['doesNotExist', (q) => q.doesNotExist('n'), ['emoji']],
  ['doesNotExist on a field that no object has', (q) => q.doesNotExist('never'), ALL],

  ['matches', (q) => q.matches('name', /^[a-c]/), ['apple', 'cherry']],
  ['matches anywhere', (q) => q.matches('text', /pie|split/), ['Banana', 'apple']],
  ['matches minds the case', (q) => q.matches('text', /APPLE/), []],
  ['matches with the flag i', (q) => q.matches('text', /^BANANA/i), ['Banana']],
  ['matches with the modifier i', (q) => q.matches('text', /^BANANA/, 'i'), ['Banana']],
  ['matches without m: ^ is the start of the text', (q) => q.matches('text', /^split/), []],
  ['matches with the flag m: ^ is the start of a line', (q) => q.matches('text', /^split$/m), ['Banana']],
  ['matches with the modifier m', (q) => q.matches('text', /^split$/, 'm'), ['Banana']],
  ['matches without s: a dot is no newline', (q) => q.matches('text', /Banana.split/), []],
  ['matches with the modifier s: a dot is a newline too', (q) => q.matches('text', /Banana.split/, 's'), ['Banana']],
  [
    'matches with the modifier x: spaces and comments are ignored',
    (q) => q.matches('text', /^ app le \s pie $ # a comment/, 'x'),
    ['apple'],
  ],
  ['matches with several modifiers', (q) => q.matches('text', /^ SPLIT $/, 'xim'), ['Banana']],
  ['matches Unicode text', (q) => q.matches('text', /^世.\s👋/), ['emoji']],
  ['matches an element of an array', (q) => q.matches('tags', /^gre/), ['apple']],
  ['matches nothing that is no text', (q) => q.matches('n', /./), []],

  ['startsWith', (q) => q.startsWith('name', 'ch'), ['cherry']],
  ['startsWith is no pattern', (q) => q.startsWith('text', 'cherry (1+1)*2 [a-z]'), ['cherry']],
  ['startsWith takes a dot for a dot', (q) => q.startsWith('text', 'c.erry'), []],
  ['startsWith Unicode text', (q) => q.startsWith('text', '世界'), ['emoji']],
  ['startsWith nothing finds all texts', (q) => q.startsWith('text', ''), ['Banana', 'apple', 'cherry', 'emoji']],
  ['endsWith', (q) => q.endsWith('name', 'an'), []],
  ['endsWith the end', (q) => q.endsWith('name', 'ana'), ['Banana']],
  ['endsWith is no pattern', (q) => q.endsWith('text', '|? {x}'), ['cherry']],
  ['contains', (q) => q.contains('name', 'an'), ['Banana']],
  ['contains is no pattern', (q) => q.contains('text', '(1+1)*2'), ['cherry']],
  ['contains takes anchors as characters', (q) => q.contains('text', '^.$'), ['cherry']],
  ['contains takes a backslash as one', (q) => q.contains('text', '\\d'), ['cherry']],
  ['contains the mark that ends a quotation', (q) => q.contains('text', '\\d \\E|?'), ['cherry']],

  ['matchesQuery', (q) => q.matchesQuery('owner', on('Person').startsWith('home', 'O')), ['apple']],
  [
    'matchesQuery on an array of pointers',
    (q) => q.matchesQuery('owners', on('Person').equalTo('home', 'Rome')),
    ['Banana', 'apple'],
  ],
  ['matchesQuery of nothing', (q) => q.matchesQuery('owner', on('Person').equalTo('home', 'Mars')), []],
  [
    'matchesQuery with order and limit of the inner query',
    (q) => q.matchesQuery('owner', on('Person').descending('home').limit(1)),
    ['Banana'],
  ],
  [
    'doesNotMatchQuery finds objects without the field too',
    (q) => q.doesNotMatchQuery('owner', on('Person').equalTo('home', 'Oslo')),
    ['Banana', 'cherry', 'date', 'emoji'],
  ],
  ['matchesKeyInQuery', (q) => q.matchesKeyInQuery('town', 'home', on('Person')), ['Banana', 'apple']],
  [
    'matchesKeyInQuery with a condition',
    (q) => q.matchesKeyInQuery('town', 'home', on('Person').equalTo('name', 'bo')),
    ['Banana'],
  ],
  ['doesNotMatchKeyInQuery', (q) => q.exists('town').doesNotMatchKeyInQuery('town', 'home', on('Person')), ['cherry']],

  ['or', () => AV.Query.or(on('Thing').equalTo('n', 1), on('Thing').equalTo('tags', 'yellow')), ['Banana', 'apple']],
  [
    'or with a further constraint',
    () => AV.Query.or(on('Thing').equalTo('n', 1), on('Thing').equalTo('n', 2)).equalTo('ok', true),
    ['apple'],
  ],
  ['and', () => AV.Query.and(on('Thing').greaterThan('n', 1), on('Thing').exists('ok')), ['Banana']],
  [
    'and of the same key',
    () => AV.Query.and(on('Thing').equalTo('tags', 'red'), on('Thing').equalTo('tags', 'green')),
    ['apple'],
  ],
  [
    'and of two ors',
    () =>
      AV.Query.and(
        AV.Query.or(on('Thing').equalTo('n', 1), on('Thing').equalTo('n', 2)),
        AV.Query.or(on('Thing').equalTo('ok', false), on('Thing').equalTo('n', 3.5)),
      ),
    ['Banana'],
  ],
]

describe('a constraint', () => {
  it.each(constraints)('%s', async (_rule, constrain, expected) => {
    expect(await sorted(constrain(on('Thing')))).toEqual(expected)
  })

  it.each(constraints)('%s: the count agrees', async (_rule, constrain, expected) => {
    expect(await constrain(on('Thing')).count()).toBe(expected.length)
  })

  it('on a class that does not exist gets error 101', async () => {
    await expect(on('NoSuchClass').find()).rejects.toMatchObject({ code: 101 })
  })

  it('that is invalid gets error 102', async () => {
    await expect(on('Thing').sizeEqualTo('tags', -1).find()).rejects.toMatchObject({ code: 102 })
  })
})

describe('geo', async () => {
  const at = (latitude: number, longitude: number) => new AV.GeoPoint(latitude, longitude)
  const oslo = at(59.9139, 10.7522)
  const places = await saveNamed('Place', {
    Oslo: { point: oslo },
    Bergen: { point: at(60.3929, 5.3241) },
    Rome: { point: at(41.9028, 12.4964) },
    Suva: { point: at(-18.1416, 178.4419) },
    Apia: { point: at(-13.8333, -171.7667) },
    nowhere: {},
  })
  const distance = (name: string, unit: 'kilometersTo' | 'milesTo' | 'radiansTo') =>
    oslo[unit](places.get(name)!.get('point'))

  it('near finds the nearest first, and only objects with a point', async () => {
    expect(await names(on('Place').near('point', oslo))).toEqual(['Oslo', 'Bergen', 'Rome', 'Apia', 'Suva'])
    expect(await names(on('Place').near('point', at(-18, 179)).limit(2))).toEqual(['Suva', 'Apia'])
  })

  it('an order replaces the distance order', async () => {
    expect(await names(on('Place').near('point', oslo).ascending('name'))).toEqual([
      'Apia',
      'Bergen',
      'Oslo',
      'Rome',
      'Suva',
    ])
  })

  it('withinKilometers, withinMiles and withinRadians agree with the distances of the SDK', async () => {
    const bergen = ['Oslo', 'Bergen']
    const within = (more: number) => [
      names(on('Place').withinKilometers('point', oslo, distance('Bergen', 'kilometersTo') * more)),
      names(on('Place').withinMiles('point', oslo, distance('Bergen', 'milesTo') * more)),
      names(on('Place').withinRadians('point', oslo, distance('Bergen', 'radiansTo') * more)),
    ]
    expect(await Promise.all(within(1.001))).toEqual([bergen, bergen, bergen])
    expect(await Promise.all(within(0.999))).toEqual([['Oslo'], ['Oslo'], ['Oslo']])
  })

  it('a distance can reach across the 180th meridian', async () => {
    expect(await names(on('Place').withinKilometers('point', at(-16, 179.9), 1200))).toEqual(['Suva', 'Apia'])
  })

  it('withinGeoBox finds points in the box', async () => {
    expect(await sorted(on('Place').withinGeoBox('point', at(59, 5), at(61, 11)))).toEqual(['Bergen', 'Oslo'])
    expect(await sorted(on('Place').withinGeoBox('point', at(59, 6), at(61, 11)))).toEqual(['Oslo'])
  })

  it('a box can cross the 180th meridian', async () => {
    expect(await sorted(on('Place').withinGeoBox('point', at(-20, 170), at(-10, -170)))).toEqual(['Apia', 'Suva'])
  })

  it('near combines with other constraints, skip and count', async () => {
    expect(await names(on('Place').near('point', oslo).notEqualTo('name', 'Bergen').skip(1).limit(2))).toEqual([
      'Rome',
      'Apia',
    ])
    expect(await on('Place').withinKilometers('point', oslo, 500).count()).toBe(2)
  })
})

describe('order', async () => {
  await saveNamed('Score', {
    a: { points: 10, level: 1, at: new Date(3) },
    b: { points: 30, level: 2, at: new Date(1) },
    c: { points: 20, level: 1, at: new Date(2) },
    d: { points: 30, level: 1, at: new Date(0) },
  })

  it('ascending and descending by one key', async () => {
    expect(await names(on('Score').ascending('at'))).toEqual(['d', 'b', 'c', 'a'])
    expect(await names(on('Score').descending('name'))).toEqual(['d', 'c', 'b', 'a'])
  })

  it('addAscending and addDescending add further keys', async () => {
    expect(await names(on('Score').descending('points').addAscending('level'))).toEqual(['d', 'b', 'c', 'a'])
    expect(await names(on('Score').ascending('level').addDescending('points'))).toEqual(['d', 'c', 'a', 'b'])
    expect(await names(on('Score').addDescending('points').addDescending('name'))).toEqual(['d', 'b', 'c', 'a'])
  })

  it('a later ascending replaces the order', async () => {
    expect(await names(on('Score').descending('points').ascending('name'))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('defaults to creation order', async () => {
    expect(await names(on('Score'))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('by createdAt, updatedAt and objectId', async () => {
    expect(await names(on('Score').descending('createdAt').addAscending('objectId'))).toEqual(['a', 'b', 'c', 'd'])
    expect(await names(on('Score').descending('objectId'))).toEqual(['d', 'c', 'b', 'a'])
    expect(await on('Score').ascending('updatedAt').find()).toHaveLength(4)
  })

  it('of texts is by code points', async () => {
    await saveNamed('Word', { '\u{1f600}': {}, '\uff5e': {}, Z: {}, a: {}, é: {}, '10': {}, '9': {} })
    expect(await names(on('Word').ascending('name'))).toEqual(['10', '9', 'Z', 'a', 'é', '\uff5e', '\u{1f600}'])
  })
})

describe('pages', () => {
  it('limit and skip select a page, findAndCount also counts all', async () => {
    const query = on('Thing').ascending('name').skip(1).limit(2)
    expect(await names(query)).toEqual(['apple', 'cherry'])
    const [found, count] = await query.findAndCount()
    expect(found.map((object) => object.get('name'))).toEqual(['apple', 'cherry'])
    expect(count).toBe(5)
  })

  it('limit 0 finds nothing, and findAndCount still counts', async () => {
    expect(await on('Thing').limit(0).findAndCount()).toEqual([[], 5])
  })

  it('skip beyond the end finds nothing', async () => {
    expect(await on('Thing').skip(5).find()).toEqual([])
  })

  it('the default limit is 100, the maximum 1000', async () => {
    const objects = Array.from({ length: 1001 }, (_, n) => ({ method: 'POST', path: '/1.1/classes/Row', body: { n } }))
    await app.request('POST', '/1.1/batch', { body: { requests: objects } })
    expect(await on('Row').find()).toHaveLength(100)
    expect(await on('Row').limit(1000).find()).toHaveLength(1000)
    expect(await on('Row').limit(1001).find()).toHaveLength(100)
    expect(await on('Row').count()).toBe(1001)
  })

  it('each visits all objects of a class', async () => {
    const seen: number[] = []
    await on('Row').each((row: AV.Object) => seen.push(row.get('n')), master)
    expect(seen).toEqual(Array.from({ length: 1001 }, (_, n) => n))
  })
})

describe('single objects', () => {
  it('first returns the first in order, undefined when there is none', async () => {
    expect((await on('Thing').descending('n').first())!.get('name')).toBe('cherry')
    expect(await on('Thing').equalTo('n', 99).first()).toBeUndefined()
  })

  it('get reads by id, with include and select', async () => {
    const object = await on('Thing').include('owner').select('name', 'owner').get(thing('apple').id!)
    expect(object.get('owner').get('home')).toBe('Oslo')
    expect(Object.keys(object.attributes).toSorted()).toEqual(['name', 'owner'])
  })

  it('get of an object that does not exist gets error 101', async () => {
    await expect(on('Thing').get('0123456789abcdef01234567')).rejects.toMatchObject({ code: 101 })
  })

  it('get on a class that does not exist gets error 101', async () => {
    await expect(on('NoSuchClass').get('0123456789abcdef01234567')).rejects.toMatchObject({ code: 101 })
  })
})

describe('select', () => {
  const keysOf = async (query: Query) => Object.keys((await query.get(thing('apple').id!)).attributes).toSorted()

  it('selects fields, and keeps the system fields', async () => {
    const found = await on('Thing').equalTo('name', 'apple').select('n', 'text').first()
    expect(found!.attributes).toEqual({ n: 1, text: 'apple pie' })
    expect(found!.id).toBe(thing('apple').id)
    expect(found!.createdAt).toBeInstanceOf(Date)
    expect(found!.updatedAt).toBeInstanceOf(Date)
  })

  it('with a minus excludes fields', async () => {
    const all = await keysOf(on('Thing'))
    expect(await keysOf(on('Thing').select('-text', '-owner'))).toEqual(
      all.filter((key) => key !== 'text' && key !== 'owner'),
    )
  })

  it('with a minus excludes system fields', async () => {
    const found = await on('Thing').equalTo('name', 'apple').select('-createdAt').first()
    expect(found!.createdAt).toBeUndefined()
    expect(found!.get('n')).toBe(1)
  })

  it('selects parts of objects', async () => {
    const found = await on('Thing').equalTo('name', 'apple').select('address.city').first()
    expect(found!.get('address')).toEqual({ city: 'Oslo' })
  })

  it('selects parts of pointer targets, which includes them', async () => {
    const found = await on('Thing').equalTo('name', 'apple').select('owner.home').first()
    expect(found!.get('owner').attributes).toEqual({ home: 'Oslo' })
    expect(found!.get('owner').id).toBe(person('ann').id)
  })

  it('excludes parts of included objects', async () => {
    const found = await on('Thing').equalTo('name', 'apple').include('owner').select('-owner.home').first()
    expect(found!.get('owner').attributes).toEqual({ name: 'ann' })
    expect(found!.get('n')).toBe(1)
  })

  it('of unknown fields returns only the system fields', async () => {
    const found = await on('Thing').equalTo('name', 'apple').select('unknown').first()
    expect(found!.attributes).toEqual({})
    expect(found!.createdAt).toBeInstanceOf(Date)
  })
})

describe('include', async () => {
  const country = await save('Country', { name: 'Norway' })
  const city = await save('City', { name: 'Oslo', country })
  const author = await save('Writer', { name: 'Ann', city })
  const editor = await save('Writer', { name: 'Bo', city })
  const gone = await save('Writer', { name: 'gone' })
  await save('Book', { name: 'one', author, editor, readers: [author, editor], details: { printer: editor } })
  await save('Book', { name: 'two', author, editor: gone })
  await save('Book', { name: 'three' })
  await gone.destroy()
  const book = async (query: Query, name = 'one') => (await query.equalTo('name', name).first())!

  it('without it a pointer has no data', async () => {
    expect((await book(on('Book'))).get('author').attributes).toEqual({})
  })

  it('expands a pointer by one level', async () => {
    const found = (await book(on('Book').include('author'))).get('author')
    expect(found.get('name')).toBe('Ann')
    expect(found.createdAt).toEqual(author.createdAt)
    expect(found.get('city').id).toBe(city.id)
    expect(found.get('city').attributes).toEqual({})
  })

  it('expands several levels and several fields', async () => {
    const found = await book(on('Book').include('author.city.country', 'editor.city'))
    expect(found.get('author').get('city').get('country').get('name')).toBe('Norway')
    expect(found.get('editor').get('city').get('name')).toBe('Oslo')
    expect(found.get('editor').get('city').get('country').attributes).toEqual({})
  })

  it('expands pointers in an array by one level', async () => {
    const readers = (await book(on('Book').include(['readers', 'readers.city']))).get('readers') as AV.Object[]
    expect(readers.map((reader) => reader.get('name'))).toEqual(['Ann', 'Bo'])
    expect(readers[0]!.get('city').attributes).toEqual({})
  })

  it('expands a pointer within an object', async () => {
    expect((await book(on('Book').include('details.printer'))).get('details').printer.get('name')).toBe('Bo')
  })

  it('keeps a pointer whose target is deleted, and ignores fields that are missing or not pointers', async () => {
    const two = await book(on('Book').include('editor', 'name', 'unknown'), 'two')
    expect(two.get('editor').id).toBe(gone.id)
    expect(two.get('editor').attributes).toEqual({})
    expect((await book(on('Book').include('author'), 'three')).has('author')).toBe(false)
  })
})

describe('includeACL', () => {
  it('returns ACLs when the app allows it', async () => {
    const acl = new AV.ACL()
    acl.setPublicReadAccess(true)
    acl.setRoleWriteAccess('Admins', true)
    const secret = new AV.Object('Secret')
    secret.setACL(acl)
    await secret.save()
    await save('Secret', {})
    const read = async () => (await on('Secret').includeACL().ascending('createdAt').find()).map((s) => s.getACL())
    expect(await read()).toEqual([undefined, undefined])
    await app.admin('PATCH', '/settings', { storage: { returnAclInQueries: true } })
    const [own, standard] = await read()
    expect(own!.toJSON()).toEqual({ '*': { read: true }, 'role:Admins': { write: true } })
    expect(standard!.toJSON()).toEqual({ '*': { read: true, write: true } })
    const fetched = await AV.Object.createWithoutData('Secret', secret.id!).fetch({ includeACL: true })
    expect(fetched.getACL().toJSON()).toEqual(own!.toJSON())
    expect((await on('Secret').get(secret.id!)).getACL()).toBeUndefined()
  })
})

describe('scan', async () => {
  const numbers = Array.from({ length: 25 }, (_, n) => n)
  await AV.Object.saveAll(numbers.map((n) => new AV.Object('Scanned').set({ n, even: n % 2 === 0 })))

  async function scanned(query: Query, options?: { orderedBy?: string; batchSize?: number }): Promise<number[]> {
    const iterator = query.scan(options, master)
    const found: number[] = []
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) found.push(next.value?.get('n'))
    return found
  }

  it('visits all objects by id', async () => {
    expect(await scanned(on('Scanned'))).toEqual(numbers)
  })

  it('visits all objects in pages', async () => {
    expect(await scanned(on('Scanned'), { batchSize: 7 })).toEqual(numbers)
  })

  it('visits matches of a condition', async () => {
    expect(await scanned(on('Scanned').equalTo('even', true), { batchSize: 4 })).toEqual(
      numbers.filter((n) => n % 2 === 0),
    )
  })

  it('uses another key, also descending', async () => {
    expect(await scanned(on('Scanned'), { orderedBy: 'n', batchSize: 4 })).toEqual(numbers)
    expect(await scanned(on('Scanned'), { orderedBy: '-n', batchSize: 4 })).toEqual(numbers.toReversed())
  })

  it('requires the master key', async () => {
    await expect(on('Scanned').scan().next()).rejects.toMatchObject({ code: 401 })
  })
})

describe('a query', () => {
  it('too long for a URL is sent as a batch, with the same result', async () => {
    const absent = Array.from({ length: 200 }, (_, index) => `none-${index}`)
    const query = () =>
      on('Thing')
        .containedIn('name', [...absent, 'apple', 'cherry'])
        .greaterThan('n', 0)
        .descending('name')
        .include('owner')
        .select('name', 'owner')
    expect(encodeURIComponent(JSON.stringify(query())).length).toBeGreaterThan(2000)
    expect(await names(query())).toEqual(['cherry', 'apple'])
    expect((await query().first())!.get('owner').get('home')).toBe('Lima')
    expect(await query().count()).toBe(2)
    const [found, count] = await query().limit(1).skip(1).findAndCount()
    expect([found.map((object) => object.get('name')), count]).toEqual([['apple'], 2])
  })

  it('too long for a URL fails with its error code', async () => {
    const values = Array.from({ length: 500 }, (_, index) => `value-${index}`)
    await expect(on('NoSuchClass').containedIn('name', values).find()).rejects.toMatchObject({ code: 101 })
    await expect(on('Thing').containedIn('name', values).sizeEqualTo('tags', -1).find()).rejects.toMatchObject({
      code: 102,
    })
  })

  it('can be created from JSON', async () => {
    const json = on('Thing').equalTo('tags', 'red').descending('name').limit(1).toJSON()
    expect(await names(AV.Query.fromJSON(JSON.parse(JSON.stringify(json))))).toEqual(['cherry'])
  })

  it('destroyAll deletes its matches', async () => {
    await saveNamed('Trash', { a: { old: true }, b: { old: true }, c: { old: false } })
    await on('Trash').equalTo('old', true).destroyAll()
    expect(await names(on('Trash'))).toEqual(['c'])
  })

  it('on a subclass returns instances of it', async () => {
    class Person extends AV.Object {
      get greeting() {
        return `Hello from ${this.get('home')}`
      }
    }
    AV.Object.register(Person)
    const [found] = await new AV.Query(Person).equalTo('name', 'ann').find()
    expect(found).toBeInstanceOf(Person)
    expect(found!.greeting).toBe('Hello from Oslo')
  })
})
