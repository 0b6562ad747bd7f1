import { beforeEach, describe, expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { sql } from '../../database/sql.ts'
import { ACCEPTED, type Outcome } from '../providers/provider.ts'
import { installationTable } from '../push.ts'
import { areTooManyUnregistered } from './retired-devices.ts'

const bench = await makePush()
const { push, database } = bench
const GONE: Outcome = { kind: 'gone', reason: 'the token is invalid' }

const outcomes = (gone: number, others: number) => [
  ...new Array<Outcome>(gone).fill(GONE),
  ...new Array<Outcome>(others).fill(ACCEPTED),
]
const installPhones = (count: number) =>
  bench.install(
    Array.from({ length: count }, (_, index) => ({
      deviceType: 'android',
      vendor: 'HMS',
      installationId: `phone ${index}`,
      registrationId: `token ${index}`,
      level: index,
    })),
  )
const stored = async () =>
  (await database.query(sql`SELECT data FROM ${installationTable(push)} ORDER BY id`)).map((row) =>
    JSON.parse(String(row.data)),
  )

beforeEach(() => bench.clear())

it.each([
  ['hms', 19, 0, false],
  ['hms', 20, 0, true],
  ['hms', 11, 9, true],
  ['hms', 10, 10, false],
  ['mi', 501, 499, true],
  ['apns', 100, 0, false],
] as const)('distrusts %s that reports %i devices as gone and %i not: %s', (channel, gone, others, doubtful) => {
  expect(areTooManyUnregistered(channel, outcomes(gone, others))).toBe(doubtful)
})

describe('when a vendor declares a token invalid', () => {
  it('the installation loses it, and is invalid until it gets a new one', async () => {
    await installPhones(2)
    const id = await bench.create()
    bench.outcome = ({ token }) => (token === 'token 1' ? GONE : ACCEPTED)
    await bench.workOnAll()
    const [reached, gone] = await stored()
    expect(reached).toMatchObject({ registrationId: 'token 0', valid: true })
    expect(gone).toEqual({ deviceType: 'android', vendor: 'HMS', installationId: 'phone 1', level: 1, valid: false })
    expect(await bench.record(id)).toMatchObject({
      devices: 2,
      successes: 1,
      invalidTokens: 0,
      errors: 'hms: the token is invalid (1)',
    })
    await bench.create()
    await bench.workOnAll()
    expect(bench.handed.at(-1)!.targets.map(({ token }) => token)).toEqual(['token 0'])
  })

  it('the installation is reached over the built-in channel, if the device has ever opened it', async () => {
    await installPhones(1)
    await database.query(sql`INSERT INTO ${push.tables.logins} (installation_id, last_at) VALUES ('phone 0', now())`)
    await bench.create()
    bench.outcome = () => GONE
    await bench.workOnAll()
    expect((await stored())[0]).toMatchObject({ valid: true, installationId: 'phone 0' })
    const id = await bench.create()
    await bench.workOnAll()
    const kept = await database.query(sql`
      SELECT installation_id FROM ${push.tables.messages} WHERE content_id = ${id}`)
    expect(kept.map((row) => row.installation_id)).toEqual(['phone 0'])
  })

  it('the installation keeps a new token that it has by now', async () => {
    await installPhones(1)
    await bench.create()
    bench.beforeAnswer = async () => {
      await database.query(sql`UPDATE ${installationTable(push)} SET data = data || '{"registrationId":"a new one"}'`)
    }
    bench.outcome = () => GONE
    await bench.workOnAll()
    expect((await stored())[0]).toMatchObject({ registrationId: 'a new one', valid: true })
  })

  it('together with most others, no installation changes, and the record contains the reason', async () => {
    await installPhones(30)
    const before = await stored()
    const id = await bench.create()
    bench.outcome = ({ token }) => (token === 'token 0' ? ACCEPTED : GONE)
    await bench.workOnAll()
    expect(await stored()).toEqual(before)
    expect(await bench.record(id)).toMatchObject({
      devices: 30,
      successes: 1,
      errors: expect.stringMatching(/^hms: the token is invalid \(said of most devices, .*\) \(29\)$/),
    })
  })
})
