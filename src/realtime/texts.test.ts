import { expect, it } from 'vitest'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import { hasNul, withStorableContents } from './texts.ts'

it.each<[what: string, received: GenericCommand, performed: GenericCommand]>([
  [
    'a message and its token',
    { cmd: 'direct', directMessage: { cid: 'c\0', msg: 'a\0\ud800', dt: 't\udc00' } },
    { cmd: 'direct', directMessage: { cid: 'c\0', msg: 'a\ufffd\ufffd', dt: 't\ufffd' } },
  ],
  [
    'the change of a message',
    {
      cmd: 'patch',
      patchMessage: {
        patches: [
          { cid: 'c\0', data: '\0' },
          { mid: 'm', recall: true },
        ],
      },
    },
    {
      cmd: 'patch',
      patchMessage: {
        patches: [
          { cid: 'c\0', data: '\ufffd' },
          { mid: 'm', recall: true },
        ],
      },
    },
  ],
  ['a command without contents', { cmd: 'conv', peerId: 'x\0' }, { cmd: 'conv', peerId: 'x\0' }],
])('replaces characters in contents and never in ids: %s', (_what, received, performed) => {
  expect(withStorableContents(received)).toEqual(performed)
  expect(hasNul(performed)).toBe(true)
})
