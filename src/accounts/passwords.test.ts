import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { hashSync } from '@node-rs/argon2'
import { afterEach, expect, it, vi } from 'vitest'
import { storedFormOf } from './password-forms.ts'
import { Passwords } from './passwords.ts'

const made: Passwords[] = []

afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await Promise.all(made.splice(0).map((passwords) => passwords.stop()))
})

function passwordsOf(concurrency = 1): Passwords {
  const passwords = new Passwords({ concurrency })
  made.push(passwords)
  return passwords
}

/** The stored form of the hosted service for the password `password` (protocol/moving-in, Users in exports). */
const EXPORTED = storedFormOf(
  'tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==',
  'h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2',
)
/** The hash by another implementation of bcrypt, libxcrypt, of the password `correct horse 马`, without the version. */
const BCRYPT = '05$abcdefghijklmnopqrstuuibKwIzcGzOGRTVXSPMGkUMsYBjljCFS'

it('hashes with argon2id, 19 MiB, 2 passes and 1 lane, and a new salt each time', async () => {
  const passwords = passwordsOf()
  const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(two).not.toBe(one)
})

it.each([
  ['usual', 'correct horse'],
  ['Chinese', '正确的马 🐴'],
  ['blank', ' '],
  ['NUL-holding', 'correct\u0000horse'],
  ['very long', 'x'.repeat(4096)],
])('accepts a %s password for its own hash and no other', async (_name, password) => {
  const passwords = passwordsOf()
  const stored = await passwords.hash(password)
  expect(await passwords.check(password, stored)).toBe('right')
  expect(await passwords.check(`${password}x`, stored)).toBe('wrong')
  expect(await passwords.check(password.slice(0, -1), stored)).toBe('wrong')
})

it.each([
  ['weaker', { memoryCost: 8192, timeCost: 2 }, 'outdated'],
  ['stronger', { memoryCost: 20_480, timeCost: 3, parallelism: 2 }, 'right'],
])('checks the right password of a %s argon2id hash', async (_name, parameters, expected) => {
  const stored = hashSync('correct horse', parameters)
  expect(await passwordsOf().check('correct horse', stored)).toBe(expected)
  expect(await passwordsOf().check('wrong horse', stored)).toBe('wrong')
})

it.each(['$2a$', '$2b$', '$2y$'])('accepts a password stored by bcrypt as %s, as outdated', async (version) => {
  const passwords = passwordsOf()
  expect(await passwords.check('correct horse 马', version + BCRYPT)).toBe('outdated')
  expect(await passwords.check('correct horse', version + BCRYPT)).toBe('wrong')
})

it('accepts a password exported from the hosted service, as outdated', async () => {
  const passwords = passwordsOf()
  expect(await passwords.check('password', EXPORTED)).toBe('outdated')
  expect(await passwords.check('Password', EXPORTED)).toBe('wrong')
  expect(await passwords.check('password', EXPORTED.replace('h60d8', 'h60d9'))).toBe('wrong')
})

it.each([
  '',
  'password',
  '$',
  '$argon2id$',
  `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$`,
  `$argon2id$v=19$m=19456,t=2,p=1$A$${'B'.repeat(43)}`,
  `$argon2id$v=19$m=0,t=0,p=0$${'A'.repeat(22)}$${'B'.repeat(43)}`,
  `$argon2id$v=19$m=8,t=2,p=255$${'A'.repeat(22)}$${'B'.repeat(43)}`,
  `$argon2id$v=19$m=4294967295,t=4294967295,p=1$${'A'.repeat(22)}$${'B'.repeat(43)}`,
  `$argon2i$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'B'.repeat(43)}`,
  `$2b$31$${'a'.repeat(53)}`,
  `$2b$00$${'a'.repeat(53)}`,
  `$2b$${BCRYPT.slice(0, -1)}`,
  `$2x$${BCRYPT}`,
  EXPORTED.slice(0, -1),
  '$sha512-512$salt$password',
  '$sha512-512$%$password',
])('treats a damaged or unknown form as wrong, without an error: %j', async (stored) => {
  expect(await passwordsOf().check('password', stored)).toBe('wrong')
})

it('spends as much work on a missing password and on fast forms as on a wrong password', async () => {
  const passwords = passwordsOf()
  const stored = await passwords.hash('correct horse')
  // Measures CPU time, because wall-clock time depends on the other load of the machine. Shared CPU caches still have
  // an effect, so the minimum of several interleaved rounds counts.
  const work = async (form: string | null) => {
    const before = process.cpuUsage()
    expect(await passwords.check('wrong horse', form)).toBe('wrong')
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const forms = [stored, null, EXPORTED, `$2b$${BCRYPT}`, 'damaged']
  const min = forms.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < 4; round++) {
    for (const [index, form] of forms.entries()) min[index] = Math.min(min[index]!, await work(form))
  }
  for (const quick of min.slice(1)) expect(quick).toBeGreaterThan(min[0]! * 0.5)
})

it('keeps the event loop running while passwords are hashed', async () => {
  const passwords = passwordsOf()
  await passwords.hash('the thread has started')
  let max = 0
  // Counts iterations of the event loop instead of time: a hash in this thread would allow only one or two, however
  // fast the machine is.
  for (let hash = 0; hash < 10 && max <= 20; hash++) {
    let iterations = 0
    let hashing = true
    const done = passwords.hash('correct horse').finally(() => {
      hashing = false
    })
    for (; hashing; iterations++) await nextTurn()
    await done
    max = Math.max(max, iterations)
  }
  expect(max).toBeGreaterThan(20)
})

it('starts threads with the first work, and never more than the configured number', async () => {
  const started = vi.fn()
  process.on('worker', started)
  const passwords = passwordsOf(2)
  expect(started).not.toHaveBeenCalled()
  await Promise.all(Array.from({ length: 8 }, () => passwords.hash('correct horse')))
  process.off('worker', started)
  expect(started).toHaveBeenCalledTimes(2)
})

it('serves callers in the order of their arrival', async () => {
  const passwords = passwordsOf()
  const served: number[] = []
  await Promise.all([1, 2, 3, 4, 5, 6].map((round) => passwords.hash('correct horse').then(() => served.push(round))))
  expect(served).toEqual([1, 2, 3, 4, 5, 6])
})

it('ends a thread that was idle for 30 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const ended = vi.spyOn(Worker.prototype, 'terminate')
  const passwords = passwordsOf()
  const stored = await passwords.hash('correct horse')
  vi.advanceTimersByTime(29_000)
  expect(ended).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1000)
  expect(ended).toHaveBeenCalledTimes(1)
  expect(await passwords.check('correct horse', stored)).toBe('right')
})

it('delays logins of other addresses by one or two hashes while one address sends two thousand', async () => {
  const passwords = passwordsOf()
  const stored = await passwords.hash('correct horse')
  const attacker = { app: 'a', address: '192.0.2.1', user: '' }
  const honest = { app: 'a', address: '192.0.2.2', user: '' }
  let ofAttacker = 0
  const attack = Promise.allSettled(
    Array.from({ length: 2000 }, () =>
      passwords.check('wrong horse', stored, attacker).then((outcome) => {
        ofAttacker++
        return outcome
      }),
    ),
  )
  const before: number[] = []
  const login = async () => {
    expect(await passwords.check('correct horse', stored, honest)).toBe('right')
    before.push(ofAttacker)
  }
  await Promise.all([login(), login(), login(), login(), login()])
  // One thread and two addresses: each login waits for one hash of the other address, and the first also for the hash
  // in progress.
  expect(before.map((count, index) => count - (index === 0 ? 0 : before[index - 1]!)).every((step) => step <= 2)).toBe(
    true,
  )
  await passwords.stop()
  const outcomes = await attack
  const refused = outcomes.filter((one) => one.status === 'rejected' && one.reason.status === 429)
  expect(refused).toHaveLength(2000 - 751)
})

it('rejects further work of the server itself with 429 when a thousand hashes wait', async () => {
  const passwords = passwordsOf()
  await passwords.hash('the thread has started')
  const accepted = Array.from({ length: 1001 }, () => passwords.hash('correct horse'))
  const outcomes = Promise.allSettled(accepted)
  await expect(passwords.hash('correct horse')).rejects.toMatchObject({ status: 429, code: 429 })
  await expect(passwords.check('correct horse', null)).rejects.toMatchObject({ status: 429, code: 429 })
  await passwords.stop()
  for (const outcome of await outcomes) {
    expect(outcome.status === 'fulfilled' || outcome.reason.code === 511).toBe(true)
  }
})

it('fails work that is in progress or arrives after the stop as unavailable, and starts no thread', async () => {
  const passwords = passwordsOf()
  const stopped = Promise.allSettled(['one', 'two'].map((password) => passwords.hash(password)))
  await passwords.stop()
  const unavailable = { status: 'rejected', reason: expect.objectContaining({ status: 503, code: 511 }) }
  expect(await stopped).toEqual([unavailable, unavailable])

  const started = vi.fn()
  process.on('worker', started)
  await expect(passwords.hash('three')).rejects.toMatchObject({ status: 503, code: 511 })
  await passwords.stop()
  process.off('worker', started)
  expect(started).not.toHaveBeenCalled()
})

it('fails each call with the reason when the threads cannot start, and keeps the process running', async () => {
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
    setImmediate(() => this.emit('error', new Error('no such library')))
  })
  const passwords = passwordsOf()
  const outcomes = await Promise.allSettled([passwords.hash('one'), passwords.hash('two')])
  const failed = { status: 'rejected', reason: new Error('no such library') }
  expect(outcomes).toEqual([failed, failed])
  vi.restoreAllMocks()
  expect(await passwords.hash('three')).toContain('$argon2id$')
})

it.runIf(process.platform === 'linux')('hashes in a thread of lower priority than the process', async () => {
  const passwords = passwordsOf()
  await passwords.hash('the thread has started')
  const before = new Map(threads().map(({ id, cpuTime }) => [id, cpuTime]))
  await Promise.all(Array.from({ length: 12 }, () => passwords.hash('correct horse')))
  const spent = threads().map(({ id, cpuTime, nice }) => ({ cpuTime: cpuTime - (before.get(id) ?? 0), nice }))
  const busiest = spent.reduce((one, other) => (other.cpuTime > one.cpuTime ? other : one))
  expect(busiest.nice).toBe(Math.min(19, getPriority() + 10))
})

/** Reads the threads of this process from their `stat`: fields 14 and 15 are ticks of CPU time, 19 is the nice level. */
function threads(): { id: string; cpuTime: number; nice: number }[] {
  return readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
    // Field 2 is a name in parentheses, which may contain spaces.
    const fromThird = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { id, cpuTime: Number(fromThird[11]) + Number(fromThird[12]), nice: Number(fromThird[16]) }
  })
}

it('does not keep a program alive with idle threads', async () => {
  const module = new URL('passwords.ts', import.meta.url).href
  const program = `import('${module}').then(async ({ Passwords }) => console.log(await new Passwords().hash('correct horse')))`
  const start = performance.now()
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '-e', program])
  expect(stdout).toMatch(/^\$argon2id\$/)
  expect(stderr).toBe('')
  expect(performance.now() - start).toBeLessThan(20_000)
})
