import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { decode, encode } from './codec.ts'
import { frameOf } from './frame.ts'
import { Batch, SharedCommand } from './shared-command.ts'

const message = (msg: string) => ({ cmd: 'direct', directMessage: { cid: 'room', msg } }) as const

/** Returns the commands that a client decodes from frames. */
function commandsIn(frames: Buffer): object[] {
  const commands: object[] = []
  for (let rest = frames; rest.length > 0; ) {
    const [start, length] = rest[1]! < 126 ? [2, rest[1]!] : [4, rest.readUInt16BE(2)]
    commands.push(decode(rest.subarray(start, start + length), 'protobuf'))
    rest = rest.subarray(start + length)
  }
  return commands
}

it('gives each receiver the command with its own id', () => {
  const shared = new SharedCommand(message('hello'))
  for (const peerId of ['tom', 'bob', 'jerry', '小明', 'tom', '', 'x'.repeat(64), '名'.repeat(64)]) {
    expect(commandsIn(shared.frameFor(peerId))).toEqual([{ ...message('hello'), peerId }])
  }
})

it('does not change a frame when the next one is made', () => {
  const shared = new SharedCommand(message('hello'))
  const first = shared.frameFor('tom')
  shared.frameFor('bob')
  expect(commandsIn(first)).toEqual([{ ...message('hello'), peerId: 'tom' }])
})

it('writes a correct header when the id makes the frame longer than a short header can express', () => {
  const room = 126 - encode(message(''), 'protobuf').length - 5
  for (let size = room; size < room + 8; size++) {
    const command = message('x'.repeat(size))
    expect(commandsIn(new SharedCommand(command).frameFor('abc'))).toEqual([{ ...command, peerId: 'abc' }])
  }
})

it('returns the command itself for other encodings', () => {
  expect(new SharedCommand(message('hello')).commandFor('tom')).toEqual({ ...message('hello'), peerId: 'tom' })
})

it('returns the frames of the commands of a batch in sequence, for any ids', () => {
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

it('shares a batch between connections with the same commands, and no others', () => {
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

it('writes the same frame as for a single receiver, except for the order of fields', () => {
  const frame = new SharedCommand(message('hello')).frameFor('tom')
  expect(frame).toHaveLength(frameOf(encode({ ...message('hello'), peerId: 'tom' }, 'protobuf')).length)
})

it('returns the same bytes for all receivers without an id', () => {
  const shared = new SharedCommand(message('hello'))
  expect(commandsIn(shared.frameFor(null))).toEqual([message('hello')])
  expect(shared.frameFor(null)).toBe(shared.frameFor(null))
  expect(shared.commandFor(null)).toEqual(message('hello'))
})
