import { expect, it } from 'vitest'
import { DiskReserve, type DiskSpace, parseReserveSize } from './disk-reserve.ts'
import { createLog } from './log.ts'

const GB = 1024 ** 3
const full = { status: 503, code: 511, message: expect.stringContaining('--disk-reserve') }

it.each([
  ['5%,1GB', { bytes: GB, percent: 5 }],
  ['1GB, 5%', { bytes: GB, percent: 5 }],
  ['0', { bytes: 0, percent: 100 }],
  ['0%', { bytes: Number.MAX_SAFE_INTEGER, percent: 0 }],
  ['500 mb', { bytes: 500 * 1024 ** 2, percent: 100 }],
  ['1.5GB', { bytes: 1.5 * GB, percent: 100 }],
  ['4096', { bytes: 4096, percent: 100 }],
  ['4096B', { bytes: 4096, percent: 100 }],
  ['100%', { bytes: Number.MAX_SAFE_INTEGER, percent: 100 }],
])('parses %j as a size', (text, size) => {
  expect(parseReserveSize(text)).toEqual(size)
})

it.each(['', '%', 'GB', '101%', '-1GB', '1 PB', '5%,', '1GB;5%', '1e3', 'NaN', '1GB 5%'])(
  'rejects %j as a size',
  (text) => {
    expect(parseReserveSize(text)).toBeNull()
  },
)

it('keeps the smaller of both free', () => {
  const reserve = new DiskReserve({ size: { bytes: GB, percent: 5 } })
  expect(reserve.of(1000 * GB)).toBe(GB)
  expect(reserve.of(10 * GB)).toBe(GB / 2)
})

function disk(space: DiskSpace, bytes = 100) {
  const state = { ...space, now: 0, reads: 0, lines: [] as string[] }
  const reserve = new DiskReserve({
    size: { bytes, percent: 100 },
    log: createLog('info', { write: (line) => void state.lines.push(line) }),
    now: () => state.now,
    read: async () => {
      state.reads++
      return { free: state.free, total: state.total }
    },
  })
  return { state, reserve }
}

it('rejects bytes that would reach into the reserve, and accepts them when there is space again', async () => {
  const { state, reserve } = disk({ free: 150, total: 1000 })
  await reserve.check('files', 50)
  await expect(reserve.check('files', 51)).rejects.toMatchObject(full)
  state.free = 151
  state.now = 1000
  await reserve.check('files', 51)
})

it('counts what all uploads together have written since the last measurement', async () => {
  const { state, reserve } = disk({ free: 150, total: 1000 })
  const taken = await Promise.allSettled(Array.from({ length: 20 }, () => reserve.take('files', 10)))
  expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  expect(state.reads).toBe(1)
})

it('ends a stream at the reserve before its bytes are written', async () => {
  const { reserve } = disk({ free: 125, total: 1000 })
  const passed: number[] = []
  const read = async () => {
    for await (const chunk of reserve.guard('files', [Buffer.alloc(10), Buffer.alloc(10), Buffer.alloc(10)]))
      passed.push(chunk.length)
  }
  await expect(read()).rejects.toMatchObject(full)
  expect(passed).toEqual([10, 10])
})

it('logs once when the reserve is reached, and once when it is free again', async () => {
  const { state, reserve } = disk({ free: 50, total: 1000 })
  for (let n = 0; n < 5; n++) await reserve.take('files', 1).catch(() => {})
  state.free = 105
  state.now = 1000
  await reserve.check('files')
  expect(state.lines).toHaveLength(1)
  state.free = 200
  state.now = 2000
  for (let n = 0; n < 5; n++) await reserve.check('files')
  expect(state.lines.join('\n')).toMatch(/below the reserve.*above the reserve/s)
  expect(state.lines).toHaveLength(2)
})

it('accepts all bytes on disks of unknown size, and with a reserve of 0', async () => {
  await disk({ free: 0, total: 0 }).reserve.check('files', 1)
  const { state, reserve } = disk({ free: 0, total: 1000 }, 0)
  await reserve.take('files', 1)
  expect(state.reads).toBe(0)
})

it('reports a missing folder with the error of the system', async () => {
  const reserve = new DiskReserve({ size: { bytes: 1, percent: 100 } })
  await expect(reserve.check('/nowhere/at/all')).rejects.toMatchObject({ code: 'ENOENT' })
})

it('counts space as scarce below a quarter of the disk', async () => {
  const { state, reserve } = disk({ free: 260, total: 1000 })
  expect(reserve.isScarce).toBe(false)
  await reserve.take('files', 10)
  expect(reserve.isScarce).toBe(false)
  await reserve.take('files', 1)
  expect(reserve.isScarce).toBe(true)
  state.free = 500
  state.now = 1000
  await reserve.check('files')
  expect(reserve.isScarce).toBe(false)
})
