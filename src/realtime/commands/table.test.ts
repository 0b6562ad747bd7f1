import { describe, expect, it } from 'vitest'
import { CommandName, type GenericCommand, OperationName } from '../../realtime-protocol/schema.ts'
import { command } from './command.ts'
import { COMMANDS, descriptorOf, UNKNOWN } from './table.ts'

const names = [...CommandName.numbers.keys()] as CommandName[]
const operations = [...OperationName.numbers.keys()] as OperationName[]
const declared = Object.values(COMMANDS).flat()

/** All commands and operations that the protocol can name, as a client may send them. */
const sent = names.flatMap((cmd): Pick<GenericCommand, 'cmd' | 'op'>[] => [
  { cmd },
  ...operations.map((op) => ({ cmd, op })),
])

describe('each command of the protocol', () => {
  it('has the descriptor that its file declares, or is rejected as unknown', async () => {
    for (const { cmd, op } of sent) {
      const expected = declared.find((one) => one.cmd === cmd && (one.op === null || one.op === (op ?? 'open')))
      expect(descriptorOf({ cmd, ...(op && { op }) }), `${cmd}/${op}`).toBe(expected ?? UNKNOWN)
    }
  })

  it('is counted without a descriptor, and rejected with its name', async () => {
    expect(UNKNOWN).toMatchObject({ rate: 'operations', notifies: null, answered: true, needsSession: true })
    const refused = async (sent: GenericCommand) => {
      const descriptor = descriptorOf(sent)
      if (!descriptor.needsSession) throw new Error('it logs in')
      return descriptor.handler(undefined as never, sent, undefined as never)
    }
    await expect(refused({ cmd: 'conv', op: 'status' })).rejects.toThrow("Command 'conv/status' not found.")
    await expect(refused({ cmd: 'conv' })).rejects.toThrow("Command 'conv/open' not found.")
    await expect(refused({ cmd: 'room', op: 'join' })).rejects.toThrow("Command 'room' not found.")
  })
})

/** Facts of a command: its limit, whether it has a response, and whether it notifies others. */
const shown = ({ rate, answered, notifies, needsSession }: (typeof declared)[number]) =>
  [rate ?? 'unlimited', !answered && 'unanswered', notifies && 'notifies', !needsSession && 'login']
    .filter(Boolean)
    .join(', ')

it('each command has the facts of the protocol', () => {
  const facts = Object.fromEntries(
    declared.map((one) => [one.op === null ? one.cmd : `${one.cmd}/${one.op}`, shown(one)]),
  )
  expect(facts).toEqual({
    'session/open': 'unlimited, login',
    'session/refresh': 'unlimited',
    'session/query': 'operations',
    'session/close': 'unlimited',
    'conv/start': 'operations, notifies',
    'conv/add': 'operations, notifies',
    'conv/remove': 'operations, notifies',
    'conv/query': 'operations',
    'conv/count': 'operations',
    'conv/members': 'operations',
    'conv/is_member': 'operations',
    'conv/max_read': 'operations',
    'conv/update': 'operations, notifies',
    'conv/mute': 'operations',
    'conv/unmute': 'operations',
    'conv/member_info_update': 'operations, notifies',
    'conv/add_shutup': 'operations, notifies',
    'conv/remove_shutup': 'operations, notifies',
    'conv/query_shutup': 'operations',
    'conv/check_shutup': 'operations',
    direct: 'sends, notifies',
    ack: 'unlimited, unanswered',
    read: 'unlimited, unanswered',
    logs: 'history',
    'patch/modify': 'sends, notifies',
    'patch/modified': 'unlimited, unanswered',
    'blacklist/block': 'operations, notifies',
    'blacklist/unblock': 'operations, notifies',
    'blacklist/query': 'operations',
    'blacklist/check_block': 'operations',
    'report/upload': 'unlimited',
    login: 'unlimited, login',
    logout: 'unlimited, login',
  })
})

describe('the clients that a command notifies', () => {
  const other = {
    directMessage: { cid: 'other' },
    convMessage: { cid: 'other', m: ['a', 'b'] },
    blacklistMessage: { srcCid: 'other' },
    patchMessage: { patches: [{ cid: 'other' }] },
  }

  it.each<[GenericCommand, string[], number]>([
    [{ cmd: 'direct', directMessage: { cid: 'c' } }, ['c'], 0],
    [{ cmd: 'direct', directMessage: {} }, [], 0],
    [{ cmd: 'patch', op: 'modify', patchMessage: { patches: [{ cid: 'c' }, {}, { cid: 'd' }] } }, ['c', 'd'], 0],
    [{ cmd: 'blacklist', op: 'block', blacklistMessage: { srcCid: 'c', toPids: ['a'] } }, ['c'], 0],
    [{ cmd: 'blacklist', op: 'block', blacklistMessage: { toCids: ['c', 'd'] } }, ['c', 'd'], 0],
    [{ cmd: 'blacklist', op: 'unblock', blacklistMessage: { toCids: ['c', 'd'] } }, ['c', 'd'], 0],
    [{ cmd: 'conv', op: 'start', convMessage: { m: ['a', 'b'] } }, [], 8],
    [{ cmd: 'conv', op: 'add', convMessage: { cid: 'c', m: ['a'] } }, ['c'], 4],
    [{ cmd: 'conv', op: 'update', convMessage: { cid: '' } }, [], 0],
  ])('are those of its own part, whatever other parts it has: %j', (sent, convIds, members) => {
    expect(descriptorOf(sent).notifies?.({ ...other, ...sent })).toMatchObject({ convIds, members })
  })
})

it('does not compile a command that lacks one of its facts', () => {
  const respond = async () => ({ cmd: 'conv', op: 'result' }) as const
  const facts = { cmd: 'conv', op: 'status', rate: 'operations', notifies: null, answered: true } as const
  command({ ...facts, handler: respond })
  const { rate, ...noRate } = facts
  // @ts-expect-error -- `rate` is missing
  command({ ...noRate, handler: respond })
  const { notifies, ...noNotifies } = facts
  // @ts-expect-error -- `notifies` is missing
  command({ ...noNotifies, handler: respond })
  const { answered, ...noAnswered } = facts
  // @ts-expect-error -- `answered` is missing
  command({ ...noAnswered, handler: respond })
  const { op, ...noOperation } = facts
  // @ts-expect-error -- `op` is missing; a command without operations has null
  command({ ...noOperation, handler: respond })
  // @ts-expect-error -- an answered command has a handler that returns a response
  command({ ...facts, handler: async () => {} })
  // @ts-expect-error -- a command without a response has a handler that returns none
  command({ ...facts, answered: false, handler: respond })
  // @ts-expect-error -- a command that notifies clients has a `rate` that counts them
  command({ ...facts, rate: null, notifies: () => ({ convId: null, members: 1 }), handler: respond })
  // @ts-expect-error -- a login has no limit of its client, which is not known yet
  command({ ...facts, needsSession: false, logsIn: 'client', handler: async () => {} })
  expect([rate, notifies, answered, op]).toEqual(['operations', null, true, 'status'])
})
