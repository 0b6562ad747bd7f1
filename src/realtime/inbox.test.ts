import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { type Frame, Inbox } from './inbox.ts'

/** An inbox whose work ends when the test says so. */
function inbox() {
  const begun: string[] = []
  const reading: string[] = []
  const ends: (() => void)[] = []
  const source = { pause: () => void reading.push('pause'), resume: () => void reading.push('resume') }
  const box = new Inbox(
    source,
    (frame) => {
      begun.push(frame.toString())
      return new Promise((resolve) => ends.push(resolve))
    },
    new LoopSlicer(1000, () => 0),
    'a',
  )
  /** Ends this number of frames, the oldest first. */
  const finish = async (count: number) => {
    for (const end of ends.splice(0, count)) end()
    await Promise.resolve()
  }
  return { box, begun, reading, finish }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `${from + index}`)

it('begins frames in order, without waiting for the end of earlier ones', () => {
  const { box, begun, reading } = inbox()
  for (const frame of numbers(0, 50)) box.add(frame)
  expect(begun).toEqual(numbers(0, 50))
  expect(reading).toEqual([])
})

it('has at most 200 in progress; then it stops reading, and keeps what was read', async () => {
  const { box, begun, reading, finish } = inbox()
  for (const frame of numbers(0, 210)) box.add(frame)
  expect(begun).toEqual(numbers(0, 200))
  expect(reading).toEqual(['pause'])
  await finish(9)
  expect(begun).toEqual(numbers(0, 209))
  expect(reading).toEqual(['pause'])
  await finish(1)
  expect(begun).toEqual(numbers(0, 210))
  expect(reading).toEqual(['pause', 'resume'])
})

it('has at most 256 KB and one frame in progress', async () => {
  const { box, begun, reading, finish } = inbox()
  for (let count = 0; count < 20; count++) box.add(Buffer.alloc(16 * 1024))
  expect(begun).toHaveLength(16)
  expect(reading).toEqual(['pause'])
  await finish(4)
  expect(begun).toHaveLength(20)
  expect(reading).toEqual(['pause', 'resume'])
})

/** Connections of one address whose frames complete immediately, with 200 per iteration. */
function quick(count: number) {
  const begun: string[] = []
  const slicer = new LoopSlicer(200, () => 0)
  const work = (frame: Frame) => void begun.push(frame.toString())
  const boxes = Array.from({ length: count }, () => {
    const reading: string[] = []
    const source = { pause: () => void reading.push('pause'), resume: () => void reading.push('resume') }
    return { box: new Inbox(source, work, slicer, 'a'), reading }
  })
  return { begun, boxes }
}

it('never counts synchronous work as in progress, but yields after 200 frames of an address', async () => {
  const { begun, boxes } = quick(1)
  const { box, reading } = boxes[0]!
  for (const frame of numbers(0, 500)) box.add(frame)
  expect(begun).toEqual(numbers(0, 200))
  await nextTurn()
  expect(begun).toEqual(numbers(0, 400))
  expect(reading).toEqual(['pause'])
  await nextTurn()
  expect(begun).toEqual(numbers(0, 500))
  expect(reading).toEqual(['pause', 'resume'])
})

it('serves waiting connections of an address round robin, one frame at a time', async () => {
  const { begun, boxes } = quick(2)
  for (const frame of numbers(0, 400)) boxes[0]!.box.add(frame)
  for (const frame of numbers(1000, 1003)) boxes[1]!.box.add(frame)
  begun.splice(0)
  await nextTurn()
  expect(begun.slice(0, 8)).toEqual(['200', '1000', '201', '1001', '202', '1002', '203', '204'])
  expect(boxes[1]!.reading).toEqual(['pause', 'resume'])
})

it('drops waiting frames when the connection ends, and continues to read for the close frame of the client', async () => {
  const { box, begun, reading, finish } = inbox()
  for (const frame of numbers(0, 210)) box.add(frame)
  box.clear()
  expect(reading).toEqual(['pause', 'resume'])
  await finish(200)
  expect(begun).toEqual(numbers(0, 200))
})
