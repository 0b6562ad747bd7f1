import type { StorageCase } from './storage-cases.ts'

export const QUERY_CASES: readonly StorageCase[] = [
  {
    name: 'queries of each kind find what they ask for',
    run: async (AV) => {
      const Band = AV.Object.extend('Band')
      const Song = AV.Object.extend('Song')
      const bands = [
        ['Ants', 'London', 1977],
        ['Bees', 'Berlin', 1980],
      ].map(([name, city, year]) => new Band({ name, city, year }))
      await AV.Object.saveAll(bands)
      const rows: [string, number, string[], number, number][] = [
        ['Alpha', 3, ['x', 'y'], 0, 39],
        ['Beta', 5, ['y'], 1, 40],
        ['Gamma', 7, ['x', 'y', 'z'], 0, 80],
        ['Delta', 9, [], 1, -20],
      ]
      await AV.Object.saveAll(
        rows.map(([title, plays, tags, band, latitude]) => {
          const song = new Song({ title, plays, tags, band: bands[band], city: ['London', 'Berlin'][band] })
          song.set('place', new AV.GeoPoint(latitude, 0))
          if (plays > 6) song.set('prize', true)
          return song
        }),
      )
      // Some condition methods of the oldest version do not return the query.
      const of = (className: string, narrow: (query: typeof Song) => void) => {
        const query = new AV.Query(className)
        narrow(query)
        return query
      }
      const songs = (narrow: (query: typeof Song) => void) => of('Song', narrow)
      const bandsOf = (year: number) => of('Band', (query) => query.greaterThan('year', year))
      const queries: Record<string, unknown> = {
        equalTo: songs((query) => query.equalTo('title', 'Beta')),
        'equalTo in a list': songs((query) => query.equalTo('tags', 'z')),
        'equalTo a pointer': songs((query) => query.equalTo('band', bands[1])),
        notEqualTo: songs((query) => query.notEqualTo('title', 'Beta')),
        'between two numbers': songs((query) => {
          query.greaterThan('plays', 3)
          query.lessThanOrEqualTo('plays', 7)
        }),
        'from and below': songs((query) => {
          query.greaterThanOrEqualTo('plays', 5)
          query.lessThan('plays', 9)
        }),
        containedIn: songs((query) => query.containedIn('title', ['Alpha', 'Delta', 'Omega'])),
        notContainedIn: songs((query) => query.notContainedIn('title', ['Alpha', 'Delta'])),
        containsAll: songs((query) => query.containsAll('tags', ['x', 'y'])),
        sizeEqualTo: songs((query) => query.sizeEqualTo('tags', 2)),
        exists: songs((query) => query.exists('prize')),
        doesNotExist: songs((query) => query.doesNotExist('prize')),
        matches: songs((query) => query.matches('title', /^[bd]/i)),
        'matches with a modifier': songs((query) => query.matches('title', '^g', 'i')),
        contains: songs((query) => query.contains('title', 'amm')),
        startsWith: songs((query) => query.startsWith('title', 'Al')),
        endsWith: songs((query) => query.endsWith('title', 'lta')),
        or: AV.Query.or(
          songs((query) => query.equalTo('title', 'Alpha')),
          songs((query) => query.greaterThan('plays', 8)),
        ),
        and: AV.Query.and(
          songs((query) => query.equalTo('tags', 'y')),
          songs((query) => query.lessThan('plays', 6)),
        ),
        matchesQuery: songs((query) => query.matchesQuery('band', bandsOf(1979))),
        doesNotMatchQuery: songs((query) => query.doesNotMatchQuery('band', bandsOf(1979))),
        matchesKeyInQuery: songs((query) => query.matchesKeyInQuery('city', 'city', bandsOf(1979))),
        doesNotMatchKeyInQuery: songs((query) => query.doesNotMatchKeyInQuery('city', 'city', bandsOf(1979))),
        withinKilometers: songs((query) => query.withinKilometers('place', new AV.GeoPoint(39.5, 0), 100)),
        withinGeoBox: songs((query) => query.withinGeoBox('place', new AV.GeoPoint(38, -5), new AV.GeoPoint(85, 5))),
      }
      const found: Record<string, string[]> = {}
      for (const [kind, query] of Object.entries(queries)) {
        const results = await (query as ReturnType<typeof songs>).ascending('plays').find()
        found[kind] = results.map((song: { get(key: string): string }) => song.get('title'))
      }
      return found
    },
    expected: {
      equalTo: ['Beta'],
      'equalTo in a list': ['Gamma'],
      'equalTo a pointer': ['Beta', 'Delta'],
      notEqualTo: ['Alpha', 'Gamma', 'Delta'],
      'between two numbers': ['Beta', 'Gamma'],
      'from and below': ['Beta', 'Gamma'],
      containedIn: ['Alpha', 'Delta'],
      notContainedIn: ['Beta', 'Gamma'],
      containsAll: ['Alpha', 'Gamma'],
      sizeEqualTo: ['Alpha'],
      exists: ['Gamma', 'Delta'],
      doesNotExist: ['Alpha', 'Beta'],
      matches: ['Beta', 'Delta'],
      'matches with a modifier': ['Gamma'],
      contains: ['Gamma'],
      startsWith: ['Alpha'],
      endsWith: ['Delta'],
      or: ['Alpha', 'Delta'],
      and: ['Alpha', 'Beta'],
      matchesQuery: ['Beta', 'Delta'],
      doesNotMatchQuery: ['Alpha', 'Gamma'],
      matchesKeyInQuery: ['Beta', 'Delta'],
      doesNotMatchKeyInQuery: ['Alpha', 'Gamma'],
      withinKilometers: ['Alpha', 'Beta'],
      withinGeoBox: ['Alpha', 'Beta', 'Gamma'],
    },
  },
  {
    name: 'results are ordered, cut, narrowed, counted and include what they point to',
    run: async (AV) => {
      const owner = new AV.Object('Owner')
      await owner.save({ name: 'Ann', secret: 'x' })
      await AV.Object.saveAll(
        [
          [1, 'a', 0],
          [2, 'b', 10],
          [2, 'c', 50],
        ].map(([rank, name, latitude]) => {
          const pet = new AV.Object('Pet')
          pet.set({ rank, name, owner, place: new AV.GeoPoint(latitude, 0) })
          return pet
        }),
      )
      type Pet = typeof owner
      const pets = () => new AV.Query('Pet')
      const names = async (query: { find(): Promise<Pet[]> }) => (await query.find()).map((pet) => pet.get('name'))
      const first = await pets().descending('rank').addAscending('name').select('name').first()
      const included = await pets().include('owner').equalTo('name', 'a').first()
      const bare = await pets().equalTo('name', 'a').first()
      const each: string[] = []
      await pets().each((pet: Pet) => void each.push(pet.get('name')))
      return {
        order: await names(pets().ascending('rank').addDescending('name')),
        page: await names(pets().ascending('name').skip(1).limit(1)),
        first: [first.get('name'), first.get('rank') === undefined],
        nothing: (await pets().equalTo('name', 'z').first()) === undefined,
        count: await pets().equalTo('rank', 2).count(),
        included: included.get('owner').get('name'),
        bare: bare.get('owner').get('name') === undefined,
        near: await names(pets().near('place', new AV.GeoPoint(40, 0))),
        each: each.sort(),
      }
    },
    expected: {
      order: ['a', 'c', 'b'],
      page: ['b'],
      first: ['b', true],
      nothing: true,
      count: 2,
      included: 'Ann',
      bare: true,
      near: ['c', 'b', 'a'],
      each: ['a', 'b', 'c'],
    },
  },
  {
    name: 'CQL finds and counts, with values in their places',
    run: async (AV, _, { codeOf }) => {
      await AV.Object.saveAll([1, 2, 3].map((n) => new AV.Object('Row').set('n', n)))
      type Row = { get(key: string): number }
      const rows = await AV.Query.doCloudQuery('select * from Row where n > ? order by n', [1])
      const count = await AV.Query.doCloudQuery('select count(*), * from Row limit 1')
      const wrong = await codeOf(AV.Query.doCloudQuery('select from'))
      const { className } = rows
      return [
        rows.results.map((row: Row) => row.get('n')),
        className,
        rows.results[0] instanceof AV.Object,
        count.count,
        wrong,
      ]
    },
    expected: [[2, 3], 'Row', true, 3, 300],
  },
  {
    name: 'a query destroys what it finds',
    run: async (AV) => {
      await AV.Object.saveAll([1, 2, 3].map((n) => new AV.Object('Doomed').set('n', n)))
      await new AV.Query('Doomed').lessThan('n', 3).destroyAll()
      return await new AV.Query('Doomed').count()
    },
    expected: 1,
  },
]
