import { expect, test } from 'vitest'
import { postgresSettings } from './postgres-settings.ts'

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3
const largeDisk = { free: 400 * gibibyte, total: 500 * gibibyte }

test.each([
  [0.25 * gibibyte, '32MB', '16MB', '1MB', '1'],
  [384 * mebibyte, '48MB', '16MB', '2MB', '1'],
  [2 * gibibyte, '256MB', '64MB', '8MB', '3'],
  [64 * gibibyte, '1024MB', '512MB', '8MB', '3'],
])(
  'sizes memory for %d bytes: %s of buffers, %s for maintenance, %s for sorting',
  (memory, buffers, maintenance, work, workers) => {
    expect(postgresSettings({ memory, disk: largeDisk })).toMatchObject({
      shared_buffers: buffers,
      maintenance_work_mem: maintenance,
      work_mem: work,
      autovacuum_max_workers: workers,
    })
  },
)

test.each([
  ['a large disk', largeDisk, '2048MB', '256MB'],
  ['10 GB', { free: 8 * gibibyte, total: 10 * gibibyte }, '512MB', '64MB'],
  ['20 GB with 1 GB free', { free: gibibyte, total: 20 * gibibyte }, '256MB', '32MB'],
  ['a full disk', { free: 0, total: 10 * gibibyte }, '96MB', '32MB'],
])('limits the log of changes on %s', (_, disk, max, min) => {
  expect(postgresSettings({ memory: gibibyte, disk })).toMatchObject({ max_wal_size: max, min_wal_size: min })
})
