import { expect, it } from 'vitest'
import { backupCondition, certificateCondition, walCondition } from './maintenance-conditions.ts'

const DAY = 86_400_000

it('a failed backup is a problem until one succeeds', async () => {
  let state = { lastSuccess: { at: 1 }, lastFailure: { at: 2, reason: 'the disk is full' }, wal: null }
  const { read } = backupCondition(() => state)
  expect(await read()).toEqual({ code: 'alertBackup', reason: 'the disk is full' })
  state = { ...state, lastSuccess: { at: 3 } }
  expect(await read()).toBeNull()
  expect(await backupCondition(() => ({ lastSuccess: null, lastFailure: null, wal: null })).read()).toBeNull()
  const first = { lastSuccess: null, lastFailure: { at: 1, reason: 'x'.repeat(1000) }, wal: null }
  expect(JSON.stringify(await backupCondition(() => first).read())).toHaveLength(335)
})

it('a log that cannot be archived is a problem', async () => {
  const of = (error: string | null) => walCondition(() => ({ lastSuccess: null, lastFailure: null, wal: { error } }))
  expect(await of('no such bucket').read()).toEqual({ code: 'alertWalArchive', reason: 'no such bucket' })
  expect(await of(null).read()).toBeNull()
})

it.each([
  ['of 90 days with 15 left', 90, 15.1, null, null],
  ['of 90 days with 13 left', 90, 13.5, null, { code: 'alertCertificate', days: 13, reason: '-' }],
  ['of a year with 20 left', 365, 20, null, null],
  ['of 6 days with 2 left', 6, 2, 'busy', null],
  ['of 6 days with half a day left', 6, 0.5, 'busy', { code: 'alertCertificate', days: 0, reason: 'busy' }],
  ['that has expired', 90, -1.5, null, { code: 'alertCertificate', days: -2, reason: '-' }],
])('a certificate %s', async (_, lifetime, left, reason, problem) => {
  const now = 1000 * DAY
  const validUntil = new Date(now + left * DAY)
  const certificate = {
    names: ['a.example'],
    validFrom: new Date(validUntil.getTime() - lifetime * DAY),
    validUntil,
    lastError: reason === null ? null : { reason },
  }
  const { read } = certificateCondition(
    () => [certificate],
    () => now,
  )
  expect(await read()).toEqual(problem && { ...problem, domain: 'a.example' })
})

it('a missing certificate is a problem once an order has failed', async () => {
  const missing = { names: ['a.example'], validFrom: null, validUntil: null, lastError: null }
  expect(await certificateCondition(() => [missing]).read()).toBeNull()
  const failed = { ...missing, lastError: { reason: 'port 80 cannot be reached' } }
  expect(await certificateCondition(() => [failed]).read()).toEqual({
    code: 'alertNoCertificate',
    domain: 'a.example',
    reason: 'port 80 cannot be reached',
  })
})
