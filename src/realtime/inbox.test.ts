import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { type Frame, Inbox } from './inbox.ts'

/** An inbox whose work is finished when the test says so. */
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
  /** Finishes that many, the oldest first. */
  const finish = async (count: number) => {
    for (const end of ends.splice(0, count)) end()
    await Promise.resolve()
  }
  return { box, begun, reading, finish }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `${from + index}`)

it('frames are worked on in their order, without waiting for the end of those before', () => {
  const { box, begun, reading } = inbox()
  for (const frame of numbers(0, 50)) box.add(frame)
  expect(begun).toEqual(numbers(0, 50))
  expect(reading).toEqual([])
})

it('at most 200 are in progress; then reading stops, and what was read already waits', async () => {
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

it('at most 256 KB and one frame are in progress', async () => {
  const { box, begun, reading, finish } = inbox()
  for (let count = 0; count < 20; count++) box.add(Buffer.alloc(16 * 1024))
  expect(begun).toHaveLength(16)
  expect(reading).toEqual(['pause'])
  await finish(4)
  expect(begun).toHaveLength(20)
  expect(reading).toEqual(['pause', 'resume'])
})

/** Connections of one address whose frames are done at once, 200 in a turn. */
function quick(count: number) {
  const begun: string[] = []
  const turns = new LoopSlicer(200, () => 0)
  const work = (frame: Frame) => void begun.push(frame.toString())
  const boxes = Array.from({ length: count }, () => {
    const reading: string[] = []
    const source = { pause: () => void reading.push('pause'), resume: () => void reading.push('resume') }
    return { box: new Inbox(source, work, turns, 'a'), reading }
  })
  return { begun, boxes }
}

it('work that is done at once is never in progress, but others get their turn after 200 frames of an address', async () => {
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

it('connections of an address that wait take turns with each frame', async () => {
  const { begun, boxes } = quick(2)
  for (const frame of numbers(0, 400)) boxes[0]!.box.add(frame)
  for (const frame of numbers(1000, 1003)) boxes[1]!.box.add(frame)
  begun.splice(0)
  await nextTurn()
  expect(begun.slice(0, 8)).toEqual(['200', '1000', '201', '1001', '202', '1002', '203', '204'])
  expect(boxes[1]!.reading).toEqual(['pause', 'resume'])
})

it('what waits when the connection ends is forgotten, and reading goes on for the client to say goodbye', async () => {
  const { box, begun, reading, finish } = inbox()
  for (const frame of numbers(0, 210)) box.add(frame)
  box.clear()
  expect(reading).toEqual(['pause', 'resume'])
  await finish(200)
  expect(begun).toEqual(numbers(0, 200))
})
