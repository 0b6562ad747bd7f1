import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, save, stored } from '../support/sdk.ts'

const app = await makeSdkApp()

const [ann, bo, cy, dan] = await Promise.all(['ann', 'bo', 'cy', 'dan'].map((name) => save('Person', { name })))
await Promise.all([ann, bo, cy, dan].map((person, age) => person!.save({ age })))

async function members(object: AV.Object, key = 'fans'): Promise<string[]> {
  const found = await object.relation<AV.Object>(key).query().ascending('name').find()
  return found.map((person) => person.get('name'))
}

/** Saves an object of the class with these members in its relation `fans`. */
async function band(className: string, ...fans: (AV.Object | undefined)[]): Promise<AV.Object> {
  const object = new AV.Object(className)
  for (const fan of fans) object.relation<AV.Object>('fans').add(fan!)
  return object.save()
}

describe('a relation', () => {
  it('gets members when the object is created', async () => {
    expect(await members(await band('Band', ann, bo))).toEqual(['ann', 'bo'])
  })

  it('gets members in an update, each once', async () => {
    const object = await band('Band', ann)
    for (const fan of [ann, bo]) object.relation<AV.Object>('fans').add(fan!)
    await object.save()
    expect(await members(object)).toEqual(['ann', 'bo'])
  })

  it('gets members in a saveAll of new and old objects', async () => {
    const old = await band('Band', ann)
    const fresh = new AV.Object('Band')
    for (const object of [old, fresh]) object.relation<AV.Object>('fans').add(bo!)
    await AV.Object.saveAll([old, fresh, new AV.Object('Band')])
    expect(await members(old)).toEqual(['ann', 'bo'])
    expect(await members(fresh)).toEqual(['bo'])
  })

  it('loses members', async () => {
    const object = await band('Band', ann, bo, cy)
    object.relation<AV.Object>('fans').remove(bo!)
    await object.save()
    expect(await members(object)).toEqual(['ann', 'cy'])
  })

  it('gets and loses members in one save', async () => {
    const object = await band('Band', ann, bo)
    const relation = object.relation<AV.Object>('fans')
    relation.add(cy!)
    relation.remove(ann!)
    await object.save()
    expect(await members(object)).toEqual(['bo', 'cy'])
  })

  it('changes together with other fields', async () => {
    const object = await band('Band', ann)
    object.relation<AV.Object>('fans').add(bo!)
    object.set('title', 'x').increment('gigs')
    await object.save()
    const read = await stored(object)
    expect(read.attributes).toMatchObject({ title: 'x', gigs: 1 })
    expect(await members(read)).toEqual(['ann', 'bo'])
  })

  it('is present in every object of the class, also when never set', async () => {
    await band('Shown', ann)
    const other = await save('Shown', { title: 'none' })
    const relation = (await stored(other)).get('fans')
    expect(relation).toBeInstanceOf(AV.Relation)
    expect(relation.targetClassName).toBe('Person')
    expect(await members(await stored(other))).toEqual([])
  })

  it('can be saved back unchanged', async () => {
    const read = await stored(await band('Band', ann))
    await read.save({ title: 'again' })
    expect(await members(read)).toEqual(['ann'])
  })

  it('is queried with constraints, order, limit and count', async () => {
    const object = await band('Band', ann, bo, cy)
    const query = () => object.relation<AV.Object>('fans').query()
    expect(await query().greaterThan('age', 0).count()).toBe(2)
    const found = await query().descending('age').limit(2).select('name').find()
    expect(found.map((person) => person.get('name'))).toEqual(['cy', 'bo'])
    expect((await query().equalTo('name', 'bo').first())!.id).toBe(bo!.id)
    expect(await query().equalTo('name', 'dan').first()).toBeUndefined()
  })

  it('of an unfetched object is queried without naming its class', async () => {
    const object = await band('Band', ann, bo)
    const blind = AV.Object.createWithoutData('Band', object.id!)
    const found = await blind.relation<AV.Object>('fans').query().ascending('name').find()
    expect(found.map((person) => person.get('name'))).toEqual(['ann', 'bo'])
    expect(found.map((person) => person.className)).toEqual(['Person', 'Person'])
    expect(await blind.relation<AV.Object>('fans').query().count()).toBe(2)
  })

  it('omits deleted members', async () => {
    const eve = await save('Person', { name: 'eve' })
    const object = await band('Band', ann, eve)
    await eve.destroy()
    expect(await members(object)).toEqual(['ann'])
  })

  it('is independent of the same relation of another object', async () => {
    const [first, second] = [await band('Band', ann), await band('Band', bo)]
    first.relation<AV.Object>('fans').remove(bo!)
    await first.save()
    expect(await members(first)).toEqual(['ann'])
    expect(await members(second)).toEqual(['bo'])
  })

  it('accepts members of one class only: error 111', async () => {
    await band('Strict', ann)
    const other = new AV.Object('Strict')
    other.relation<AV.Object>('fans').add(await save('Dog', { name: 'rex' }))
    await expect(other.save()).rejects.toMatchObject({ code: 111 })
  })

  it('cannot be added to a field of another type: error 111', async () => {
    await save('Strict', { text: 'a' })
    const object = new AV.Object('Strict')
    object.relation<AV.Object>('text').add(ann!)
    await expect(object.save()).rejects.toMatchObject({ code: 111 })
  })

  it('changes under a condition, or not at all', async () => {
    const object = await band('Band', ann)
    await object.save({ open: false })
    object.relation<AV.Object>('fans').add(bo!)
    const query = new AV.Query<AV.Object>('Band').equalTo('open', true)
    await expect(object.save(null, { query })).rejects.toMatchObject({ code: 305 })
    expect(await members(await stored(object))).toEqual(['ann'])
  })
})

describe('reverseQuery', () => {
  it('finds objects with a given member', async () => {
    const first = await band('Club', ann, bo)
    const second = await band('Club', bo)
    await band('Club', cy)
    const of = async (person: AV.Object) => {
      const found = await AV.Relation.reverseQuery<AV.Object>('Club', 'fans', person).ascending('objectId').find()
      return found.map(({ id }) => id)
    }
    expect(await of(bo!)).toEqual([first.id, second.id])
    expect(await of(ann!)).toEqual([first.id])
    expect(await of(dan!)).toEqual([])
  })
})

describe('on the wire', () => {
  const pointer = (person: AV.Object | undefined) => ({ __type: 'Pointer', className: 'Person', objectId: person!.id })
  const where = (condition: object) => ({ where: JSON.stringify(condition) })

  it('an empty relation operation, or one of more than 1000 members, gets error 128', async () => {
    for (const objects of [[], Array.from({ length: 1001 }, () => pointer(ann))]) {
      const reply = await app.request('POST', '/1.1/classes/Band', { body: { fans: { __op: 'AddRelation', objects } } })
      expect(reply).toMatchObject({ status: 400, body: { code: 128 } })
    }
  })

  it('a relation is returned with its class', async () => {
    const object = await band('Band', ann)
    const { body } = await app.request('GET', `/1.1/classes/Band/${object.id}`)
    expect(body.fans).toEqual({ __type: 'Relation', className: 'Person' })
  })

  it('`members` queries a relation by member', async () => {
    const object = await band('Guild', ann)
    await band('Guild', bo)
    const query = where({ fans: { members: pointer(ann) } })
    const { body } = await app.request('GET', '/1.1/classes/Guild', { query })
    expect(body.results.map((result: { objectId: string }) => result.objectId)).toEqual([object.id])
  })

  it('$relatedTo combines with $or and matches nothing once the object is deleted', async () => {
    const object = await band('Guild', ann, bo, cy)
    const related = { object: { __type: 'Pointer', className: 'Guild', objectId: object.id }, key: 'fans' }
    const query = where({ $relatedTo: related, $or: [{ name: 'ann' }, { name: 'dan' }] })
    const found = async () => (await app.request('GET', '/1.1/classes/Person', { query })).body.results
    expect((await found()).map((person: { name: string }) => person.name)).toEqual(['ann'])
    await object.destroy()
    expect(await found()).toEqual([])
    expect((await app.sql('SELECT * FROM "$relations" WHERE owner_id = $1', [object.id])).rows).toEqual([])
  })
})
