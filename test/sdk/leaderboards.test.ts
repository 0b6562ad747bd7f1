import AV from 'leancloud-storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeSdkApp, save } from '../support/sdk.ts'

const app = await makeSdkApp()
const master = { useMasterKey: true }
// The declarations of the client leave out what it has.
// biome-ignore lint/suspicious/noExplicitAny: AV.Leaderboard is declared without the options that it takes
const Leaderboard = (AV as any).Leaderboard

let made = 0
function boardName(): string {
  return `board_${++made}`
}

async function makeBoard(options: object = {}) {
  return Leaderboard.createLeaderboard({ statisticName: boardName(), order: 'descending', ...options }, master)
}

async function makePlayer(name: string) {
  const { id, session } = await app.makeUser(name)
  return { id, user: AV.Object.createWithoutData('_User', id), as: { sessionToken: session } }
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: AV.Error) => ({ code: error.code, text: error.rawMessage }),
  )

const [ann, bo, cy, dee] = await Promise.all(['ann', 'bo', 'cy', 'dee'].map(makePlayer))
const players = [ann!, bo!, cy!, dee!]

describe('a leaderboard', () => {
  it('is created with the documented defaults, and read again', async () => {
    const name = boardName()
    const board = await Leaderboard.createLeaderboard({ statisticName: name, order: 'ascending' }, master)
    expect(board).toMatchObject({
      statisticName: name,
      order: 'ascending',
      updateStrategy: 'better',
      versionChangeInterval: 'week',
      version: 0,
    })
    expect(board.nextResetAt.getTime()).toBeGreaterThan(Date.now())
    expect(board.nextResetAt.toISOString()).toMatch(/T16:00:00.000Z$/)
    const read = await Leaderboard.getLeaderboard(name)
    expect(read).toMatchObject({ statisticName: name, order: 'ascending', version: 0, nextResetAt: board.nextResetAt })
  })

  it('never changes its version automatically when the interval is never', async () => {
    const board = await makeBoard({ versionChangeInterval: 'never' })
    expect(board.nextResetAt).toBeNull()
    await board.updateVersionChangeInterval('day', master)
    expect(board.versionChangeInterval).toBe('day')
    expect(board.nextResetAt.getTime()).toBeGreaterThan(Date.now())
  })

  it('can be changed, reset and deleted only with the master key', async () => {
    const board = await makeBoard()
    const refused = { code: 1, text: expect.stringContaining('The request must be signed by master key.') }
    for (const attempt of [
      () => Leaderboard.createLeaderboard({ statisticName: boardName(), order: 'descending' }, ann!.as),
      () => board.updateUpdateStrategy('sum', ann!.as),
      () => board.updateVersionChangeInterval('never'),
      () => board.reset(ann!.as),
      () => board.getArchives({}, ann!.as),
      () => board.destroy(),
    ])
      expect(await failure(attempt())).toEqual(refused)
    await board.updateUpdateStrategy('sum', master)
    expect((await Leaderboard.getLeaderboard(board.statisticName)).updateStrategy).toBe('sum')
    await board.reset(master)
    expect(board.version).toBe(1)
    await board.destroy(master)
    expect(await failure(Leaderboard.getLeaderboard(board.statisticName))).toMatchObject({ code: 2100 })
  })

  it('can be recreated empty under the name of a deleted one', async () => {
    const board = await makeBoard({ updateStrategy: 'sum' })
    const { statisticName } = board
    await Leaderboard.updateStatistics(ann!.user, { [statisticName]: 5 }, ann!.as)
    await board.destroy(master)
    const again = await makeBoard({ statisticName })
    expect(await again.count()).toBe(0)
    expect(await again.getResults()).toEqual([])
  })
})

describe('values', () => {
  it.each([
    ['better', 'descending', [5, 9, 7], 9],
    ['better', 'ascending', [5, 3, 7], 3],
    ['last', 'descending', [5, 9, 7], 7],
    ['sum', 'descending', [5, 9, -7.5], 6.5],
    ['sum', 'ascending', [5, 9, -7.5], 6.5],
  ])('by %s, %s: %j become %d', async (updateStrategy, order, values, stored) => {
    const { statisticName } = await makeBoard({ updateStrategy, order })
    let last: { value: number; name: string; version: number }[] = []
    for (const value of values)
      last = await Leaderboard.updateStatistics(ann!.user, { [statisticName]: value }, ann!.as)
    expect(last).toEqual([{ name: statisticName, value: stored, version: 0 }])
    const [read] = await Leaderboard.getStatistics(ann!.user, { statisticNames: [statisticName] })
    expect(read).toEqual({ name: statisticName, value: stored, version: 0 })
  })

  it('replace the stored one when the strategy is overridden', async () => {
    const { statisticName } = await makeBoard({ updateStrategy: 'better' })
    await Leaderboard.updateStatistics(ann!.user, { [statisticName]: 9 }, ann!.as)
    const [stored] = await Leaderboard.updateStatistics(
      ann!.user,
      { [statisticName]: 2 },
      { ...master, overwrite: true },
    )
    expect(stored.value).toBe(2)
  })

  it('can be written by their user and the master key, and only for users', async () => {
    const { statisticName } = await makeBoard()
    const update = (options: object) => Leaderboard.updateStatistics(ann!.user, { [statisticName]: 1 }, options)
    const remove = (options: object) => Leaderboard.deleteStatistics(ann!.user, [statisticName], options)
    await update(ann!.as)
    for (const stranger of [bo!.as, {}]) {
      expect(await failure(update(stranger))).toMatchObject({ code: 403 })
      expect(await failure(remove(stranger))).toMatchObject({ code: 403 })
    }
    await update(master)
    await remove(ann!.as)
    expect(await Leaderboard.getStatistics(ann!.user, { statisticNames: [statisticName] })).toEqual([])
  })

  it('of many leaderboards are written all or none', async () => {
    const [one, other] = [await makeBoard(), await makeBoard()]
    const both = { [one.statisticName]: 1, [other.statisticName]: 2 }
    expect(await failure(Leaderboard.updateStatistics(bo!.user, { ...both, unknown: 3 }, bo!.as))).toEqual({
      code: 2100,
      text: expect.stringContaining("statisticName 'unknown' not found."),
    })
    expect(await one.count()).toBe(0)
    const stored = await Leaderboard.updateStatistics(bo!.user, both, bo!.as)
    expect(stored.map(({ value }: { value: number }) => value)).toEqual([1, 2])
    const all = await Leaderboard.getStatistics(bo!.user)
    expect(all.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining([one.statisticName, other.statisticName]),
    )
  })

  it('of users can be written only with the master key when configured so', async () => {
    const { statisticName } = await makeBoard()
    const write = (options: object) => Leaderboard.updateStatistics(ann!.user, { [statisticName]: 1 }, options)
    await app.admin('PATCH', '/settings', { leaderboards: { usersWriteTheirOwn: false } })
    expect(await failure(write(ann!.as))).toMatchObject({ code: 403 })
    await write(master)
    await app.admin('PATCH', '/settings', { leaderboards: { usersWriteTheirOwn: true } })
    await write(ann!.as)
  })
})

describe('a ranking', () => {
  const [scores, others] = [boardName(), boardName()]
  // biome-ignore lint/suspicious/noExplicitAny: see above
  let board: any

  beforeAll(async () => {
    board = await makeBoard({ statisticName: scores, order: 'ascending' })
    await makeBoard({ statisticName: others, order: 'ascending' })
    const company = await save('Company', { name: 'Homeport' })
    for (const [index, { user, as }] of players.entries()) {
      await AV.Object.createWithoutData('_User', user.id!).save({ company, email: `p${index}@example.org` }, as)
      await Leaderboard.updateStatistics(user, { [scores]: index, [others]: -index }, as)
    }
  })

  it('is counted', async () => {
    expect(await board.count()).toBe(4)
  })

  it('returns the requested fields of users, included pointers, and other statistics', async () => {
    const rankings = await board.getResults({
      selectUserKeys: ['username'],
      includeUserKeys: 'company',
      includeStatistics: [others],
    })
    expect(rankings.map(({ rank, value }: { rank: number; value: number }) => [rank, value])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(rankings[2].user.get('username')).toBe('cy')
    expect(rankings[2].user.get('company').get('name')).toBe('Homeport')
    expect(rankings[2].includedStatistics).toEqual([{ name: others, value: -2, version: 0 }])
  })

  it('returns users as pointers unless fields are requested, and never their addresses to clients', async () => {
    const [plain] = await board.getResults({ limit: 1 })
    expect(plain.user.id).toBe(ann!.id)
    expect(plain.user.get('username')).toBeUndefined()
    const [asked] = await board.getResults({ limit: 1, selectUserKeys: ['email', 'username'] })
    expect([asked.user.get('username'), asked.user.get('email')]).toEqual(['ann', undefined])
    const [byMaster] = await board.getResults({ limit: 1, selectUserKeys: ['email'] }, master)
    expect(byMaster.user.get('email')).toBe('p0@example.org')
  })

  it('returns only a pointer to a member the caller cannot read', async () => {
    const hidden = AV.Object.createWithoutData('_User', dee!.id)
    hidden.setACL(new AV.ACL({ [dee!.id]: { read: true, write: true } }))
    await hidden.save(null, dee!.as)
    const last = async (options: object) =>
      (await board.getResults({ skip: 3, selectUserKeys: ['username'] }, options))[0]
    for (const stranger of [bo!.as, {}]) {
      const { user, rank } = await last(stranger)
      expect([user.id, user.get('username'), rank]).toEqual([dee!.id, undefined, 3])
    }
    expect((await last(dee!.as)).user.get('username')).toBe('dee')
  })

  it('is returned around the caller, and around another user', async () => {
    const ranksOf = (rankings: { rank: number }[]) => rankings.map(({ rank }) => rank)
    expect(ranksOf(await board.getResultsAroundUser({ limit: 3 }, cy!.as))).toEqual([1, 2, 3])
    expect(ranksOf(await board.getResultsAroundUser(bo!.user, { limit: 3 }, cy!.as))).toEqual([0, 1, 2])
    expect(ranksOf(await board.getResultsAroundUser(bo!.user, { limit: 1 }))).toEqual([1])
    expect(await failure(board.getResultsAroundUser({ limit: 3 }))).toMatchObject({ code: 1 })
  })

  it('rejects other statistics of unknown leaderboards', async () => {
    expect(await failure(board.getResults({ includeStatistics: ['fake'] }))).toMatchObject({ code: 2100 })
  })

  it('ranks the member that reached a value first before later ones', async () => {
    for (const order of ['ascending', 'descending']) {
      const tied = await makeBoard({ order, updateStrategy: 'last' })
      const write = ({ user, as }: (typeof players)[number], value: number) =>
        Leaderboard.updateStatistics(user, { [tied.statisticName]: value }, as)
      for (const player of [cy!, ann!, bo!]) await write(player, 7)
      // Writing the same value keeps the rank; a member that changes its value and returns to it ranks last.
      await write(cy!, 7)
      await write(ann!, 8)
      await write(ann!, 7)
      const rankings = await tied.getResults()
      expect(rankings.map(({ user }: { user: AV.User }) => user.id)).toEqual([cy!.id, bo!.id, ann!.id])
    }
  })

  it('of the previous version is available until the next change', async () => {
    const seasons = await makeBoard({ updateStrategy: 'sum' })
    const { statisticName } = seasons
    const write = () => Leaderboard.updateStatistics(ann!.user, { [statisticName]: 2 }, ann!.as)
    await write()
    await write()
    await seasons.reset(master)
    expect(await write()).toEqual([{ name: statisticName, value: 2, version: 1 }])
    const values = async (version?: number) =>
      (await seasons.getResults({ version })).map(({ value }: { value: number }) => value)
    expect([await values(), await values(1), await values(0)]).toEqual([[2], [2], [4]])
    expect(await seasons.count({ version: 0 })).toBe(1)
    await seasons.reset(master)
    expect(await failure(values(0))).toMatchObject({ code: 2102 })
    expect(await failure(values(3))).toMatchObject({ code: 2102 })
  })
})

describe('an archive', () => {
  it('contains the ranking at the end of the version', async () => {
    const board = await makeBoard({ order: 'descending' })
    const { statisticName } = board
    for (const [index, { user, as }] of players.entries())
      await Leaderboard.updateStatistics(user, { [statisticName]: index === 3 ? 1 : index - 0.5 }, as)
    const before = await board.getResults()
    await board.reset(master)
    await Leaderboard.updateStatistics(ann!.user, { [statisticName]: 100 }, ann!.as)
    await expect
      .poll(async () => (await board.getArchives({}, master))[0].status, { timeout: 60_000 })
      .toBe('completed')
    const [archive] = await board.getArchives({}, master)
    expect(archive).toMatchObject({ statisticName, version: 0 })
    expect(archive.deactivatedAt.getTime()).toBeGreaterThanOrEqual(archive.activatedAt.getTime())
    const lines = before.map(
      ({ rank, value, user }: { rank: number; value: number; user: AV.User }) =>
        `${rank},${statisticName},${value},${user.id}\n`,
    )
    const answer = await fetch(archive.url)
    expect(await answer.text()).toBe(`rank,statisticName,statisticValue,user\n${lines.join('')}`)
  })
})
