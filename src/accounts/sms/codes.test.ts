import { tmpdir } from 'node:os'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fileLocations } from '../../../test/support/files.ts'
import { scratchDatabase } from '../../../test/support/scratch-database.ts'
import { Apps } from '../../apps/apps.ts'
import { localBus } from '../../bus/local-bus.ts'
import { localDirectory } from '../../bus/local-directory.ts'
import { identifier, sql } from '../../database/sql.ts'
import { Jobs } from '../../jobs/jobs.ts'
import { Limiters } from '../../limits/limiters.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { openNodeQueues } from '../../running-app/node-queues.ts'
import { RunningApps } from '../../running-app/running-app.ts'
import type { Accounts } from '../accounts.ts'
import { Passwords } from '../passwords.ts'
import { type CodePurpose, type CodeRequester, findCode, redeemCode, storeCode, tryCode, useCode } from './codes.ts'

const [ANN, BOB, CY] = ['+8613800000001', '+8613800000002', '+8613800000003']
/** The client that requests codes, and a caller at its address. */
const HERE: CodeRequester = { from: '192.0.2.1', userId: null }
const AT_HOME = callerAt('192.0.2.1')

function callerAt(clientAddress: string, userId: string | null = null, master = false): Caller {
  const origin = { production: true, clientAddress, fromCloudCode: false, ignored: new Set<never>() }
  return { master, userId, grants: [], origin }
}

const [TESTER, REVIEWER] = ['+8613800000008', '+8613800000009']

const database = await scratchDatabase()
let running: RunningApps
let accounts: Accounts

beforeAll(async () => {
  const apps = new Apps(database)
  const mailer = { send: async () => {} }
  const log = pino({ level: 'silent' })
  running = new RunningApps({
    queues: openNodeQueues(),
    ...fileLocations(),
    database,
    apps,
    bus: localBus(),
    directory: localDirectory(),
    jobs: new Jobs(database, log),
    passwords: new Passwords(),
    limiters: new Limiters(),
    mailer,
    outbox: tmpdir(),
    log,
  })
  const { id } = await apps.create('codes', null)
  await apps.updateSettings(id, { sms: { testNumbers: { [TESTER]: '246810', [REVIEWER]: '246810' } } })
  accounts = (await running.open(id))!.accounts
})

afterAll(() => running.stop())

beforeEach(() => database.query(sql`DELETE FROM ${accounts.smsCodes}`))

/** Creates a code from the random draws in `draws`, in order. */
function store(
  number: string,
  purpose: CodePurpose,
  draws: string[],
  { ttl = 10, requester = HERE } = {},
): Promise<string> {
  const draw = () => draws.shift() ?? expect.fail('it drew one more')
  return database.transaction((transaction) =>
    storeCode(accounts, transaction, { number, purpose, ttl, userId: null, requester }, draw),
  )
}

const expire = (number: string) =>
  database.query(sql`UPDATE ${accounts.smsCodes} SET expires_at = now() - interval '1 second' WHERE phone = ${number}`)

const rows = async () =>
  (await database.query(sql`SELECT phone, purpose, code FROM ${accounts.smsCodes} ORDER BY phone, purpose`)).map(
    ({ phone, purpose, code }) => `${phone} ${purpose} ${code}`,
  )

describe('a code', () => {
  it('is valid for its number and purpose, once', async () => {
    await store(ANN, 'login', ['111111'])
    expect(await redeemCode(accounts, BOB, ['login'], '111111')).toBeNull()
    expect(await redeemCode(accounts, ANN, ['generic', 'reset'], '111111')).toBeNull()
    expect(await redeemCode(accounts, ANN, ['generic', 'login'], '111111')).toMatchObject({ number: ANN })
    expect(await redeemCode(accounts, ANN, ['generic', 'login'], '111111')).toBeNull()
  })

  it('is used by only one of several concurrent requests', async () => {
    await store(ANN, 'login', ['111111'])
    const tries = Array.from({ length: 5 }, () => redeemCode(accounts, ANN, ['login'], '111111'))
    expect((await Promise.all(tries)).filter((code) => code !== null)).toHaveLength(1)
  })

  it('replaces the previous one', async () => {
    await store(ANN, 'login', ['111111'])
    await store(ANN, 'login', ['222222'])
    expect(await tryCode(accounts, ANN, ['login'], '111111')).toBeNull()
    expect(await tryCode(accounts, ANN, ['login'], '222222')).not.toBeNull()
  })

  it('allows at most 5 attempts, also concurrent ones', async () => {
    await store(ANN, 'login', ['111111'])
    await Promise.all(Array.from({ length: 4 }, () => tryCode(accounts, ANN, ['login'], '999999')))
    expect(await tryCode(accounts, ANN, ['login'], '111111')).not.toBeNull()
    expect(await tryCode(accounts, ANN, ['login'], '111111')).toBeNull()
    await store(ANN, 'verify', ['111111'])
    const guesses = Array.from({ length: 20 }, () => tryCode(accounts, ANN, ['verify'], '111111'))
    expect((await Promise.all(guesses)).filter((code) => code !== null)).toHaveLength(5)
    expect(await findCode(accounts, null, 'verify', '111111', AT_HOME)).toBeNull()
  })

  it('is valid for its lifetime', async () => {
    await store(ANN, 'login', ['111111'], { ttl: 3 })
    const [row] = await database.query(sql`
      SELECT extract(epoch FROM expires_at - now())::int AS seconds FROM ${accounts.smsCodes} WHERE phone = ${ANN}`)
    expect(row!.seconds).toBeGreaterThan(170)
    expect(row!.seconds).toBeLessThanOrEqual(180)
    await expire(ANN)
    expect(await tryCode(accounts, ANN, ['login'], '111111')).toBeNull()
    expect(await findCode(accounts, null, 'login', '111111', AT_HOME)).toBeNull()
  })

  it('is deleted after it has expired, when other codes are created', async () => {
    await store(ANN, 'login', ['111111'])
    await expire(ANN)
    await store(BOB, 'login', ['222222'])
    expect(await rows()).toEqual([`${BOB} login 222222`])
  })
})

describe('two numbers', () => {
  it('never have the same code for one purpose at the same time', async () => {
    expect(await store(ANN, 'reset', ['111111'])).toBe('111111')
    expect(await store(BOB, 'reset', ['111111', '222222'])).toBe('222222')
    expect(await store(BOB, 'verify', ['111111'])).toBe('111111')
  })

  it('do not get the same code in concurrent requests', async () => {
    const codes = await Promise.all([ANN, BOB, CY].map((number) => store(number, 'reset', ['3', '4', '5', '6'])))
    expect(new Set(codes).size).toBe(3)
  })

  it('are identified by the code alone, for its purpose', async () => {
    await store(ANN, 'verify', ['333333'])
    await store(BOB, 'verify', ['444444'])
    expect(await findCode(accounts, null, 'verify', '333333', AT_HOME)).toMatchObject({ number: ANN })
    expect(await findCode(accounts, null, 'verify', '444444', AT_HOME)).toMatchObject({ number: BOB })
    expect(await findCode(accounts, null, 'reset', '333333', AT_HOME)).toBeNull()
    expect(await findCode(accounts, null, 'verify', "3' OR ''='\u0000", AT_HOME)).toBeNull()
  })

  it('for tests may share a fixed code; the code alone identifies the latest request', async () => {
    expect(await store(TESTER, 'reset', [], { ttl: 9 })).toBe('246810')
    // The longer lifetime simulates a request one minute later.
    expect(await store(REVIEWER, 'reset', [], { ttl: 10 })).toBe('246810')
    const first = await findCode(accounts, null, 'reset', '246810', AT_HOME)
    expect(first).toMatchObject({ number: REVIEWER })
    expect(await useCode(accounts, database, first!)).toBe(true)
    expect(await findCode(accounts, null, 'reset', '246810', AT_HOME)).toMatchObject({ number: TESTER })
  })

  it('do not share a code when one of them is for tests', async () => {
    expect(await store(ANN, 'generic', ['246810', '555555'])).toBe('555555')
  })
})

describe('guesses without a number', () => {
  beforeEach(() => database.query(sql`DELETE FROM ${identifier(`app_${accounts.appId}`, '$attempts')}`))

  const guess = (code: string, caller: Caller, purpose: CodePurpose = 'reset') =>
    findCode(accounts, null, purpose, code, caller)

  /** Inserts that many recent failures. */
  const fail = (key: string, failures: number) =>
    database.query(sql`
      INSERT INTO ${identifier(`app_${accounts.appId}`, '$attempts')} (key, state, touched_at)
      SELECT ${key}, jsonb_build_object(
        'failures', (SELECT jsonb_agg(floor(extract(epoch FROM now()) * 1000)) FROM generate_series(1, ${failures}::int)),
        'checks', '{}'::jsonb, 'lockedUntil', NULL), now()
      ON CONFLICT (key) DO UPDATE SET state = excluded.state`)

  it('lock their address and no other', async () => {
    await store(ANN, 'reset', ['777777'], { requester: { from: '192.0.2.2', userId: null } })
    const guesser = callerAt('192.0.2.9')
    await fail('codes from 192.0.2.9', 99)
    await fail('codes', 99)
    const locks = guess('100000', guesser)
    await expect(locks).rejects.toMatchObject({ code: 219 })
    await expect(guess('777777', guesser)).rejects.toMatchObject({ code: 219 })
    await expect(guess('777777', guesser, 'verify')).rejects.toMatchObject({ code: 219 })
    expect(await guess('777777', callerAt('192.0.2.2'))).toMatchObject({ number: ANN })
    // A code with its number is not a guess at the codes of all numbers.
    expect(await findCode(accounts, ANN, 'reset', '777777', guesser)).toMatchObject({ number: ANN })
  })

  it('lock a user at every address', async () => {
    await fail('codes by ann', 14)
    await expect(guess('100000', callerAt('192.0.2.8', 'ann'))).rejects.toMatchObject({ code: 219 })
    await expect(guess('100000', callerAt('192.0.2.7', 'ann'))).rejects.toMatchObject({ code: 219 })
    expect(await guess('100000', callerAt('192.0.2.7', 'bob'))).toBeNull()
  })

  it('slow down their address and no other', async () => {
    await fail('codes from 192.0.2.9', 15)
    const began = performance.now()
    expect(await guess('100000', callerAt('192.0.2.9'))).toBeNull()
    expect(performance.now() - began).toBeGreaterThan(550)
    const many = Array.from({ length: 10 }, () => guess('100000', callerAt('192.0.2.9')))
    const outcomes = await Promise.allSettled(many)
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThanOrEqual(8)
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { status: 429, retryAfter: 10 } })
  })

  it('from many addresses never lock the app: the address or user that requested the code does not wait', async () => {
    await store(ANN, 'reset', ['777777'], { requester: { from: '192.0.2.2', userId: null } })
    await store(BOB, 'verify', ['888888'], { requester: { from: '192.0.2.3', userId: 'bob' } })
    await fail('codes', 100)
    // A stranger waits, whether the code is right or wrong.
    const began = performance.now()
    let waited = 0
    const otherGuess = guess('777777', callerAt('192.0.2.4')).finally(() => {
      waited = performance.now() - began
    })
    expect(await guess('777777', callerAt('192.0.2.2'))).toMatchObject({ number: ANN })
    expect(await guess('888888', callerAt('198.51.100.1', 'bob'), 'verify')).toMatchObject({ number: BOB })
    expect(waited).toBe(0)
    expect(await otherGuess).toMatchObject({ number: ANN })
    expect(waited).toBeGreaterThan(950)
  })

  it('of the app’s backend are not counted by its address', async () => {
    await fail('codes from 192.0.2.9', 99)
    expect(await guess('100000', callerAt('192.0.2.9', null, true))).toBeNull()
  })
})
