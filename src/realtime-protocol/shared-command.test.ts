import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { decode, encode } from './codec.ts'
import { frameOf } from './frame.ts'
import { Batch, SharedCommand } from './shared-command.ts'

const message = (msg: string) => ({ cmd: 'direct', directMessage: { cid: 'room', msg } }) as const

/** What a client reads in frames. */
function commandsIn(frames: Buffer): object[] {
  const commands: object[] = []
  for (let rest = frames; rest.length > 0; ) {
    const [start, length] = rest[1]! < 126 ? [2, rest[1]!] : [4, rest.readUInt16BE(2)]
    commands.push(decode(rest.subarray(start, start + length), 'protobuf'))
    rest = rest.subarray(start + length)
  }
  return commands
}

it('each receiver gets the command with its own id', () => {
  const shared = new SharedCommand(message('hello'))
  for (const peerId of ['tom', 'bob', 'jerry', '小明', 'tom', '', 'x'.repeat(64), '名'.repeat(64)]) {
    expect(commandsIn(shared.frameFor(peerId))).toEqual([{ ...message('hello'), peerId }])
  }
})

it('a frame that was made stays as it is when the next one is made', () => {
  const shared = new SharedCommand(message('hello'))
  const first = shared.frameFor('tom')
  shared.frameFor('bob')
  expect(commandsIn(first)).toEqual([{ ...message('hello'), peerId: 'tom' }])
})

it('the header fits wherever the id makes the frame longer than a short header can say', () => {
  const room = 126 - encode(message(''), 'protobuf').length - 5
  for (let size = room; size < room + 8; size++) {
    const command = message('x'.repeat(size))
    expect(commandsIn(new SharedCommand(command).frameFor('abc'))).toEqual([{ ...command, peerId: 'abc' }])
  }
})

it('other encodings get the command itself', () => {
  expect(new SharedCommand(message('hello')).commandFor('tom')).toEqual({ ...message('hello'), peerId: 'tom' })
})

it('a batch is the frames of its commands, one after the other, for any ids', () => {
  const ids = fc.array(fc.string({ unit: 'binary', maxLength: 70 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { minLength: 1, maxLength: 5 }),
      ids,
      (texts, peers) => {
        const commands = texts.map((text) => new SharedCommand(message(text)))
        for (const peerId of peers) {
          let batch = new Batch(Buffer.byteLength(peerId))
          for (const command of commands) batch = batch.with(command)
          const frames = batch.framesFor(peerId)
          expect(frames).toEqual(Buffer.concat(commands.map((command) => command.frameFor(peerId))))
          expect(commandsIn(frames)).toEqual(texts.map((text) => ({ ...message(text), peerId })))
          expect(batch.size).toBe(frames.length)
        }
      },
    ),
    runs(100),
  )
})

it('who goes the same way finds the same batch, who does not gets one of his own', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((text) => new SharedCommand(message(text))) as [
    SharedCommand,
    SharedCommand,
    SharedCommand,
  ]
  const root = new Batch(3)
  expect(root.with(a).with(b)).toBe(root.with(a).with(b))
  const [ab, ac] = [root.with(a).with(b), root.with(a).with(c)]
  expect(commandsIn(ab.framesFor('tom'))).toMatchObject([message('a'), message('b')])
  expect(commandsIn(ac.framesFor('tom'))).toMatchObject([message('a'), message('c')])
})

it('a frame is the same as one that is written for its receiver alone, but for the order of fields', () => {
  const frame = new SharedCommand(message('hello')).frameFor('tom')
  expect(frame).toHaveLength(frameOf(encode({ ...message('hello'), peerId: 'tom' }, 'protobuf')).length)
})

it('those who need no id in it all get the same bytes, without one', () => {
  const shared = new SharedCommand(message('hello'))
  expect(commandsIn(shared.frameFor(null))).toEqual([message('hello')])
  expect(shared.frameFor(null)).toBe(shared.frameFor(null))
  expect(shared.commandFor(null)).toEqual(message('hello'))
})
