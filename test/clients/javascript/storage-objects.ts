import type { StorageCase } from './storage-cases.ts'

export const OBJECT_CASES: readonly StorageCase[] = [
  {
    name: 'a value of every type comes back as it was saved',
    run: async (AV) => {
      const Thing = AV.Object.extend('Thing')
      const friend = new Thing()
      await friend.save({ name: 'friend' })
      const thing = new Thing()
      thing.set('text', 'Grüße 你好 🙂')
      thing.set('number', 1.5)
      thing.set('yes', true)
      thing.set('list', [1, 'two', { three: 3 }])
      thing.set('nested', { a: { b: [null, false] } })
      thing.set('at', new Date(86_400_000))
      thing.set('place', new AV.GeoPoint(40, -30))
      thing.set('friend', friend)
      thing.set('bytes', { __type: 'Bytes', base64: 'aGk=' })
      await thing.save()
      const read = await new AV.Query('Thing').get(thing.id)
      return {
        text: read.get('text'),
        number: read.get('number'),
        yes: read.get('yes'),
        list: read.get('list'),
        nested: read.get('nested'),
        at: read.get('at') instanceof Date && read.get('at').getTime(),
        place: read.get('place') instanceof AV.GeoPoint && [read.get('place').latitude, read.get('place').longitude],
        friend: read.get('friend') instanceof AV.Object && read.get('friend').id === friend.id,
        bytes: read.get('bytes'),
        dates: read.createdAt instanceof Date && read.createdAt.getTime() === thing.createdAt.getTime(),
        missing: read.get('missing') === undefined,
      }
    },
    expected: {
      text: 'Grüße 你好 🙂',
      number: 1.5,
      yes: true,
      list: [1, 'two', { three: 3 }],
      nested: { a: { b: [null, false] } },
      at: 86_400_000,
      place: [40, -30],
      friend: true,
      bytes: { __type: 'Bytes', base64: 'aGk=' },
      dates: true,
      missing: true,
    },
  },
  {
    name: 'an object is changed, a field of it unset, and it is destroyed',
    run: async (AV, _, { codeOf }) => {
      const note = new AV.Object('Note')
      await note.save({ a: 1, b: 2 })
      note.unset('a')
      note.set('b', 3)
      await note.save()
      const read = await AV.Object.createWithoutData('Note', note.id).fetch()
      await note.destroy()
      const gone = await codeOf(new AV.Query('Note').get(note.id))
      return [read.get('a') === undefined, read.get('b'), read.updatedAt >= read.createdAt, gone]
    },
    expected: [true, 3, true, 101],
  },
  {
    name: 'numbers are increased and lists changed where they are',
    run: async (AV) => {
      const counter = new AV.Object('Counter')
      await counter.save({ n: 1, tags: ['a'] })
      counter.increment('n')
      counter.increment('n', 5)
      counter.add('tags', 'a')
      await counter.save()
      counter.addUnique('tags', 'b')
      counter.increment('fresh', -2)
      await counter.save()
      counter.addUnique('tags', 'b')
      await counter.save()
      counter.remove('tags', 'a')
      await counter.save()
      const read = await new AV.Query('Counter').get(counter.id)
      return [read.get('n'), read.get('tags'), read.get('fresh')]
    },
    expected: [7, ['b'], -2],
  },
  {
    name: 'bits are changed where they are',
    since: 3,
    run: async (AV) => {
      const flags = new AV.Object('Flags')
      await flags.save({ and: 0b110, or: 0b100, xor: 0b111 })
      flags.bitAnd('and', 0b010)
      flags.bitOr('or', 0b001)
      flags.bitXor('xor', 0b010)
      await flags.save()
      const read = await new AV.Query('Flags').get(flags.id)
      return [read.get('and'), read.get('or'), read.get('xor')]
    },
    expected: [0b010, 0b101, 0b101],
  },
  {
    name: 'a save on a condition happens when it holds, and else is refused with 305',
    run: async (AV, _, { codeOf }) => {
      const account = new AV.Object('Account')
      await account.save({ balance: 100 })
      const withdraw = (amount: number) => {
        account.increment('balance', -amount)
        return account.save(null, { query: new AV.Query('Account').greaterThanOrEqualTo('balance', amount) })
      }
      await withdraw(70)
      const refused = await codeOf(withdraw(70))
      return [refused, (await new AV.Query('Account').get(account.id)).get('balance')]
    },
    expected: [305, 30],
  },
  {
    name: 'fetchWhenSave brings what the server has',
    run: async (AV) => {
      const shared = new AV.Object('Shared')
      await shared.save({ n: 1 })
      const other = AV.Object.createWithoutData('Shared', shared.id)
      other.increment('n', 5)
      await other.save()
      shared.increment('n')
      if (shared.fetchWhenSave) shared.fetchWhenSave(true)
      await shared.save(null, { fetchWhenSave: true })
      return shared.get('n')
    },
    expected: 7,
  },
  {
    name: 'many objects are saved at once, with those that they point to',
    run: async (AV) => {
      const parent = new AV.Object('Parent')
      parent.set('name', 'parent')
      const children = [1, 2, 3].map((n) => {
        const child = new AV.Object('Child')
        child.set('n', n)
        child.set('parent', parent)
        return child
      })
      await AV.Object.saveAll(children)
      children[0].set('n', 10)
      children[1].increment('n', 10)
      await AV.Object.saveAll(children)
      const read = await new AV.Query('Child').include('parent').ascending('n').find()
      return {
        numbers: read.map((child: typeof parent) => child.get('n')),
        parents: read.map((child: typeof parent) => child.get('parent').get('name')),
        one: new Set(read.map((child: typeof parent) => child.get('parent').id)).size,
      }
    },
    expected: { numbers: [3, 10, 12], parents: ['parent', 'parent', 'parent'], one: 1 },
  },
  {
    name: 'objects are fetched and destroyed at once',
    run: async (AV) => {
      const made = [1, 2, 3].map((n) => new AV.Object('Many').set('n', n))
      await AV.Object.saveAll(made)
      const blind = made.map(({ id }) => AV.Object.createWithoutData('Many', id))
      await AV.Object.fetchAll(blind)
      const numbers = blind.map((object) => object.get('n'))
      await AV.Object.destroyAll(blind.slice(1))
      return [numbers, await new AV.Query('Many').count()]
    },
    expected: [[1, 2, 3], 1],
  },
  {
    name: 'a relation takes objects, gives some back, and is asked both ways',
    run: async (AV) => {
      const [red, blue] = ['red', 'blue'].map((name) => new AV.Object('Tag').set('name', name))
      await AV.Object.saveAll([red, blue])
      const post = new AV.Object('Post')
      post.relation('tags').add([red, blue])
      await post.save()
      const names = async () =>
        (await post.relation('tags').query().ascending('name').find()).map((tag: typeof red) => tag.get('name'))
      const both = await names()
      post.relation('tags').remove(red)
      await post.save()
      const posts = await new AV.Query('Post').equalTo('tags', blue).find()
      const reversed = await AV.Relation.reverseQuery('Post', 'tags', red).find()
      return [both, await names(), posts.map(({ id }: { id: string }) => id === post.id), reversed.length]
    },
    expected: [['blue', 'red'], ['blue'], [true], 0],
  },
  {
    name: 'what is wrong is told with code and text',
    run: async (AV, _, { refusalOf }) => {
      const refused = async (fields: object) => {
        const { code, message } = (await refusalOf(new AV.Object('Typed').save(fields))) ?? {}
        return [code, typeof message === 'string' && message.length > 9]
      }
      await new AV.Object('Typed').save({ n: 1 })
      return [await refused({ n: 'one' }), await refused({ 'a b': 1 })]
    },
    expected: [
      [111, true],
      [105, true],
    ],
  },
]
