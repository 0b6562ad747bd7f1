import { describe, expect, it } from 'vitest'
import { ApiError } from '../../errors.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { parseChanges } from '../../objects/operations/parse.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import { installationRules } from './installation-rules.ts'

const TOKEN = 'aB'.repeat(32)

/** Returns the code of the error for a body; null when it is accepted. */
function refusal(body: JsonObject): number | null {
  const changes = parseChanges(body, true)
  const codes = [() => installationRules.create?.(changes, MASTER), () => installationRules.update?.(changes)].map(
    (check) => {
      try {
        check()
        return null
      } catch (error) {
        return (error as ApiError).code
      }
    },
  )
  expect(codes[1]).toBe(codes[0])
  return codes[0]!
}

const channels = (operation: string, ...objects: Json[]) => ({ channels: { __op: operation, objects } })

describe('an installation', () => {
  it.each<[string, JsonObject]>([
    ['a device token of 64 hexadecimal digits', { deviceToken: TOKEN, deviceType: 'ios' }],
    ['a device token of 160 hexadecimal digits', { deviceToken: '0'.repeat(160), deviceType: 'ios' }],
    ['a UUID for a device token of iOS', { deviceToken: '3F2A1B0C-0000-4000-8000-00000000000F', deviceType: 'ios' }],
    ['a device token of iOS that is too short', { deviceToken: 'xxx', deviceType: 'ios' }],
    ['a device token of iOS of an odd number of digits', { deviceToken: `${TOKEN}0`, deviceType: 'ios' }],
    ['a device token of iOS that is no hexadecimal text', { deviceToken: 'g'.repeat(64), deviceType: 'ios' }],
    ['a device token of macOS that is no hexadecimal text', { deviceToken: 'g'.repeat(64), deviceType: 'macos' }],
    ['a device token of another vendor', { deviceToken: 'fcm:APA91b-x_y', deviceType: 'android' }],
    ['any device token without a type', { deviceToken: 'g'.repeat(64) }],
    ['an installation id that is a UUID', { installationId: '3f2a1b0c-0000-4000-8000-00000000000f' }],
    ['channels of letters, digits, _, -, = and Chinese characters', { channels: ['aZ09_-=', '中文频道', ''] }],
    ['channels that are added and removed', channels('AddUnique', 'news', '')],
    ['a profile', { deviceProfile: 'dev_2' }],
    ['no profile', { deviceProfile: '' }],
    ['the usual profile', { deviceProfile: '_default' }],
    ['null for channels and profile', { channels: null, deviceProfile: null }],
    ['a vendor in whatever spelling', { vendor: 'hms' }],
    ['custom fields', { level: 3, home: { channels: ['a b'] }, 'home.channels': ['a b'] }],
  ])('accepts %s', (_, body) => {
    const { 'home.channels': dotted, ...plain } = body
    expect(refusal(plain)).toBeNull()
    if (dotted !== undefined) expect(refusal({ 'home.channels': dotted })).toBeNull()
  })

  it.each<[string, JsonObject, number]>([
    ['a device token that is too long', { deviceToken: '0'.repeat(201) }, 114],
    ['a device token of iOS that is too long', { deviceToken: '0'.repeat(201), deviceType: 'ios' }, 114],
    ['a device token of iOS with a space', { deviceToken: 'a b', deviceType: 'ios' }, 114],
    ['a device token with a space', { deviceToken: 'a b', deviceType: 'android' }, 114],
    ['a device token that is not ASCII', { deviceToken: '令牌', deviceType: 'android' }, 114],
    ['a device token with a line break', { deviceToken: `${TOKEN}\n` }, 114],
    ['an empty device token', { deviceToken: '' }, 114],
    ['a device token that is a number', { deviceToken: 12 }, 114],
    ['an empty installation id', { installationId: '' }, 1],
    ['a very long installation id', { installationId: 'a'.repeat(129) }, 1],
    ['a channel with a space', { channels: ['news', 'a b'] }, 112],
    ['a channel with a line break', { channels: ['news\n'] }, 112],
    ['a channel with a dot', channels('AddUnique', 'a.b'), 112],
    ['a channel that is added and none', channels('Add', 'a/b'), 112],
    ['a channel that is removed and none', channels('Remove', 'a b'), 112],
    ['a channel that is a number', { channels: [1] }, 112],
    [
      'a channel in a batch of operations',
      {
        channels: {
          __op: 'Batch',
          ops: [
            { __op: 'Remove', objects: ['a'] },
            { __op: 'Add', objects: ['a!'] },
          ],
        },
      },
      112,
    ],
    ['a profile that begins with a digit', { deviceProfile: '2nd' }, 1],
    ['a profile with a hyphen', { deviceProfile: 'a-b' }, 1],
    ['a profile that begins with an underscore', { deviceProfile: '_dev' }, 1],
  ])('rejects %s', (_, body, code) => {
    expect(refusal(body)).toBe(code)
  })

  it('never repeats a token in an error text', () => {
    const secret = `${TOKEN} ${TOKEN}`
    try {
      installationRules.update?.(parseChanges({ deviceToken: secret, deviceType: 'ios' }, true))
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
      expect((error as ApiError).message).not.toContain(TOKEN)
    }
  })
})
