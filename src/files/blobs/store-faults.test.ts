import { expect, it } from 'vitest'
import { recordedLog } from '../../../test/support/recorded-log.ts'
import { reasonOf, StoreFaults } from './store-faults.ts'

it('logs a store fault at most once a minute, with the number of faults not logged', () => {
  const { log, lines } = recordedLog()
  let now = 0
  const faults = new StoreFaults(log, 'folder /shared', () => now)
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  for (now = 0; now < 120_000; now += 20_000) expect(faults.report(full)).toMatchObject({ status: 503, code: 511 })
  expect(lines.map(([fields]) => fields)).toEqual([
    { component: 'files', store: 'folder /shared', reason: 'the disk is full' },
    { component: 'files', store: 'folder /shared', reason: 'the disk is full', unsaid: 2 },
  ])
})

it.each<[error: unknown, reason: string]>([
  [Object.assign(new Error('EROFS: read-only, open'), { code: 'EROFS' }), 'the file system is read-only'],
  [new Error('connect ECONNREFUSED 127.0.0.1:9'), 'connect ECONNREFUSED 127.0.0.1:9'],
  [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [Object.assign(new Error('no\n such  bucket'), { name: 'NoSuchBucket' }), 'NoSuchBucket: no such bucket'],
  ['text', 'unknown'],
])('describes a fault in one line: %s', (error, reason) => {
  expect(reasonOf(error)).toBe(reason)
})
