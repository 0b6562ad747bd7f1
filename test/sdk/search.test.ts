import AV from 'leancloud-storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeSdkApp, save } from '../support/sdk.ts'
import { indexed, makeSearched } from '../support/search.ts'

/** Members that the SDK has, but not its type declarations. */
interface SearchQuery extends AV.Query<AV.Object> {
  queryString(q: string): this
  highlights(fields: string | string[]): this
  sortBy(builder: SortBuilder): this
  hits(): number
  hasMore(): boolean
  reset(): void
}
interface SortBuilder {
  ascending(key: string, mode?: string, missing?: string): this
  descending(key: string, mode?: string, missing?: string): this
  whereNear(key: string, point: AV.GeoPoint, options?: object): this
}
const { SearchQuery, SearchSortBuilder } = AV as unknown as {
  SearchQuery: new (className?: string) => SearchQuery
  SearchSortBuilder: new () => SortBuilder
}

const app = await makeSdkApp()

beforeAll(async () => {
  const fields = {
    name: 'String',
    text: 'String',
    score: 'Number',
    place: 'GeoPoint',
    owner: { type: 'Pointer', className: 'Owner' },
  }
  await makeSearched(app, 'Shop', fields)
  const owner = await save('Owner', { name: 'Wang' })
  const shops = [
    ['面馆', '北京大学东门的面馆，牛肉面很好吃', 9, [39.99, 116.31]],
    ['Noodle bar', 'noodles and dumplings', 7, [31.2, 121.5]],
    ['书店', '新书和旧书', 8, [39.91, 116.4]],
  ] as const
  for (const [name, text, score, [latitude, longitude]] of shops)
    await save('Shop', { name, text, score, owner, place: new AV.GeoPoint({ latitude, longitude }) })
  await indexed(app)
})

const names = (objects: readonly AV.Object[]) => objects.map((object) => object.get('name'))

describe('leancloud-storage', () => {
  it('finds objects of a class', async () => {
    const query = new SearchQuery('Shop').queryString('北京大学')
    const [shop, ...others] = await query.find()
    expect(others).toEqual([])
    expect(query.hits()).toBe(1)
    expect(shop).toMatchObject({ className: 'Shop', appURL: null })
    expect(shop!.get('score')).toBe(9)
    expect(shop!.createdAt).toBeInstanceOf(Date)
    shop!.set('score', 10)
    await shop!.save()
    expect((await new AV.Query('Shop').get(shop!.id!)).get('score')).toBe(10)
  })

  it('finds objects of all classes', async () => {
    const [shop] = await new SearchQuery().queryString('dumplings').find()
    expect(shop!.className).toBe('Shop')
  })

  it('highlights matches', async () => {
    const [shop] = await new SearchQuery('Shop').queryString('牛肉面').highlights(['text', 'name']).find()
    expect(shop!.get('_highlight').text).toEqual([expect.stringContaining('<em>牛肉')])
  })

  it('expands pointers', async () => {
    const [shop] = await new SearchQuery('Shop').queryString('书店').include('owner').find()
    expect(shop!.get('owner').get('name')).toBe('Wang')
  })

  it('orders results', async () => {
    const find = (builder: SortBuilder) => new SearchQuery('Shop').queryString('*').sortBy(builder).find()
    expect(names(await find(new SearchSortBuilder().ascending('score')))).toEqual(['Noodle bar', '书店', '面馆'])
    expect(names(await find(new SearchSortBuilder().descending('score', 'max', 'first')))[0]).toBe('面馆')
    const shanghai = new AV.GeoPoint({ latitude: 31, longitude: 121 })
    expect(names(await find(new SearchSortBuilder().whereNear('place', shanghai)))[0]).toBe('Noodle bar')
    expect(names(await new SearchQuery('Shop').queryString('*').descending('score').find())[0]).toBe('面馆')
  })

  it('pages through to the end', async () => {
    const query = new SearchQuery('Shop').queryString('*').limit(2)
    const found: AV.Object[] = []
    let pages = 0
    while (query.hasMore()) {
      found.push(...(await query.find()))
      expect(++pages).toBeLessThanOrEqual(3)
    }
    expect(names(found).sort()).toEqual(['Noodle bar', '书店', '面馆'])
    query.reset()
    expect(await query.find()).toHaveLength(2)
  })

  it('receives query errors', async () => {
    await expect(new SearchQuery('Shop').queryString('(').find()).rejects.toMatchObject({ code: 102 })
    await expect(new SearchQuery('Owner').queryString('Wang').find()).rejects.toMatchObject({ code: 102 })
  })
})
