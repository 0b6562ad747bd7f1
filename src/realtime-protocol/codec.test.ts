import { createRequire } from 'node:module'
import protobuf from 'protobufjs/minimal.js'
import { describe, expect, it } from 'vitest'
import { decode, type Encoding, encode, UnparseableFrame } from './codec.ts'
import type { GenericCommand } from './schema.ts'

/** The parts of the codec of the official SDK that the tests use. */
const { Protocals: official }: { readonly Protocals: { readonly GenericCommand: OfficialCommand } } = createRequire(
  import.meta.url,
)('leancloud-realtime')

interface OfficialCommand {
  new (values: object): { toArrayBuffer(): ArrayBuffer }
  decode(bytes: Buffer): Record<string, unknown>
}

const encodings: readonly Encoding[] = ['protobuf', 'base64', 'json']

const open: GenericCommand = {
  cmd: 'session',
  op: 'open',
  appId: 'app',
  peerId: '小明',
  i: 1,
  sessionMessage: { ua: 'js/5.0.0-rc.8', r: false, deviceId: '', lastPatchTime: 1_700_000_000_123, configBitmap: 0xbb },
}

const commands: readonly GenericCommand[] = [
  open,
  { cmd: 'echo' },
  { cmd: 'echo', i: 0 },
  { cmd: 'echo', i: -65_535 },
  { cmd: 'loggedin', service: 0, i: 2_147_483_647, loggedinMessage: { pushDisabled: false } },
  { cmd: 'error', i: -1, errorMessage: { code: 4303, reason: 'CONVERSATION_NOT_FOUND', pids: ['a', ''] } },
  { cmd: 'direct', directMessage: { msg: '', transient: false, timestamp: -1, mentionPids: ['一', '二'] } },
  { cmd: 'direct', directMessage: { binaryMsg: Buffer.from([0, 255, 128, 1]) } },
  { cmd: 'conv', op: 'query', i: 3, convMessage: { where: { data: '{"name":"房间"}' }, limit: 0, flag: 2 } },
  { cmd: 'read', readMessage: { convs: [{ cid: 'a', timestamp: 1 }, { cid: '' }] } },
  { cmd: 'logs', logsMessage: { direction: 'new', logs: [{ data: 'x', bin: true }, {}] } },
  {
    cmd: 'login',
    loginMessage: { systemInfo: { deviceType: 'android', osVersion: { major: 14, build: 'a/b' }, isEmulator: false } },
  },
  { cmd: 'data', service: 1, installationId: 'id', dataMessage: { ids: ['1'], msg: [{ data: '{"op":"create"}' }] } },
]

describe.each(encodings)('in the encoding %s', (encoding) => {
  it.each(commands)('decodes a command to the encoded one, with absent and empty fields: %j', (command) => {
    expect(decode(encode(command, encoding), encoding)).toEqual(command)
  })

  it('omits undefined members', () => {
    const padded = {
      ...open,
      op: undefined,
      service: undefined,
      sessionMessage: { ...open.sessionMessage, st: undefined },
    }
    const { op, ...rest } = open
    expect(encode(padded, encoding)).toEqual(encode(rest, encoding))
  })

  it('rejects incomplete and unknown values, without showing them in the error', () => {
    const broken: readonly [fault: RegExp, command: object][] = [
      [/cmd is missing/, { i: 1 }],
      [/reason is missing/, { cmd: 'error', errorMessage: { code: 1 } }],
      [/cid is missing/, { cmd: 'read', readMessage: { convs: [{ mid: 'secret' }] } }],
      [/unknown field stTTL/, { cmd: 'session', sessionMessage: { stTTL: 'secret' } }],
    ]
    for (const [fault, command] of broken) {
      const write = () => encode(command as GenericCommand, encoding)
      expect(write).toThrow(fault)
      expect(write).not.toThrow(/secret/)
      expect(write).not.toThrow(UnparseableFrame)
    }
  })
})

describe('binary', () => {
  it('is decoded by the official SDK', () => {
    const read = official.GenericCommand.decode(encode(open, 'protobuf'))
    expect(read).toMatchObject({ cmd: 0, op: 1, appId: 'app', peerId: '小明', i: 1, service: null, convMessage: null })
    expect(read.sessionMessage).toMatchObject({ ua: 'js/5.0.0-rc.8', r: false, deviceId: '', st: null, code: null })
  })

  it('decodes frames of the official SDK', () => {
    const { sessionMessage, ...envelope } = open
    const bytes = new official.GenericCommand({
      ...envelope,
      cmd: 'session',
      op: 'open',
      sessionMessage,
    }).toArrayBuffer()
    expect(decode(Buffer.from(bytes), 'protobuf')).toEqual(open)
  })

  it.each([
    ['the greatest', '7f'.padStart(18, 'f'), Number.MAX_SAFE_INTEGER],
    ['the least', '01'.padStart(20, '80'), Number.MIN_SAFE_INTEGER],
    ['one that is exact', 'ffffffffffffff0f', Number.MAX_SAFE_INTEGER],
  ])('decodes 64-bit numbers, %s, to the nearest exact one', (_which, varint, serverTs) => {
    const frame = Buffer.from(`080e48${varint}`, 'hex')
    expect(decode(frame, 'protobuf')).toEqual({ cmd: 'echo', serverTs })
  })

  it('rejects a value that a field cannot hold', () => {
    const broken: readonly object[] = [
      { cmd: 'nonsense' },
      { cmd: 'echo', op: 'nonsense' },
      { cmd: 'echo', i: 1.5 },
      { cmd: 'echo', i: 2 ** 31 },
      { cmd: 'echo', i: '1' },
      { cmd: 'echo', serverTs: 2 ** 53 },
      { cmd: 'echo', serverTs: Number.NaN },
      { cmd: 'echo', peerId: 1 },
      { cmd: 'session', sessionMessage: { r: 1 } },
      { cmd: 'session', sessionMessage: { sessionPeerIds: 'abc' } },
      { cmd: 'direct', directMessage: { binaryMsg: 'abc' } },
    ]
    for (const command of broken) expect(() => encode(command as GenericCommand, 'protobuf')).toThrow(/the value of/)
  })

  it('replaces a lone surrogate, because a strict client would reject the whole command', () => {
    const command = decode(encode({ cmd: 'echo', peerId: 'a\ud800b' }, 'protobuf'), 'protobuf')
    expect(command.peerId).toBe('a\ufffdb')
  })

  it('skips unknown fields, and known ones of another wire type', () => {
    const bytes = protobuf.Writer.create()
    bytes.uint32(1 << 3).int32(14)
    bytes.uint32((99 << 3) | 2).string('unknown')
    bytes
      .uint32((98 << 3) | 3)
      .uint32((1 << 3) | 1)
      .fixed64(1)
      .uint32((98 << 3) | 4)
    bytes.uint32((5 << 3) | 5).fixed32(7)
    expect(decode(bytes.finish() as Buffer, 'protobuf')).toEqual({ cmd: 'echo' })
  })

  it('ignores an unknown operation, and rejects an unknown command', () => {
    expect(decode(Buffer.from([8, 14, 16, 99]), 'protobuf')).toEqual({ cmd: 'echo' })
    expect(() => decode(Buffer.from([8, 99]), 'protobuf')).toThrow(UnparseableFrame)
    expect(() => decode(Buffer.alloc(0), 'protobuf')).toThrow(UnparseableFrame)
  })

  it('uses the last value of a duplicate field, and merges duplicate parts', () => {
    const first = encode({ cmd: 'session', i: 1, sessionMessage: { ua: 'a', tag: 'a' } }, 'protobuf')
    const second = encode({ cmd: 'session', i: 2, sessionMessage: { tag: 'b', r: true } }, 'protobuf')
    expect(decode(Buffer.concat([first, second]), 'protobuf')).toEqual({
      cmd: 'session',
      i: 2,
      sessionMessage: { ua: 'a', tag: 'b', r: true },
    })
  })

  it('does not keep the frame of binary content in memory', () => {
    const frame = encode({ cmd: 'direct', directMessage: { binaryMsg: Buffer.alloc(5000, 1) } }, 'protobuf')
    const content = decode(frame, 'protobuf').directMessage!.binaryMsg!
    frame.fill(0)
    expect(content).toEqual(Buffer.alloc(5000, 1))
  })

  const groups = (count: number, tag: number) => Buffer.alloc(count, tag)
  const hostile: readonly [name: string, bytes: Buffer][] = [
    ['a varint that ends too early', Buffer.from([8, 14, 40, 0xff])],
    ['a varint that never ends', Buffer.concat([Buffer.from([8, 14, 40]), Buffer.alloc(5000, 0xff)])],
    ['a length beyond the frame', Buffer.from([8, 14, 34, 100, 65])],
    ['a length of 4 GB', Buffer.from([8, 14, 34, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['a part that reaches beyond the frame', Buffer.from([8, 0, 0xb2, 6, 10, 34, 2, 65, 65])],
    ['a field inside a part that reaches beyond it', Buffer.from([8, 0, 0xb2, 6, 3, 34, 9, 65, 8, 14, 8, 14, 8, 14])],
    ['a text that is no UTF-8', Buffer.from([8, 14, 34, 2, 0xc3, 0x28])],
    ['a text with half of a surrogate pair', Buffer.from([8, 14, 34, 3, 0xed, 0xa0, 0x80])],
    ['the field number 0', Buffer.from([8, 14, 0, 1])],
    ['an unknown wire type', Buffer.from([8, 14, 47])],
    ['groups in groups', Buffer.concat([Buffer.from([8, 14]), groups(8000, 0x7b), groups(8000, 0x7c)])],
    ['the end of a group that never began', Buffer.from([8, 14, 0x7c])],
    ['a part without its required field', Buffer.from([8, 7, 0xba, 6, 0])],
    ['more empty parts than anybody needs', manyParts(501)],
  ]

  it.each(hostile)('rejects %s', (_name, bytes) => {
    expect(() => decode(bytes, 'protobuf')).toThrow(UnparseableFrame)
  })

  it('accepts the maximum number of parts', () => {
    expect(decode(manyParts(500), 'protobuf').patchMessage!.patches).toHaveLength(500)
  })
})

/** `patch` with this many empty items. */
function manyParts(count: number): Buffer {
  return encode({ cmd: 'patch', patchMessage: { patches: Array(count).fill({}) } }, 'protobuf')
}

describe('base64', () => {
  it('is that of the binary form, in the standard alphabet', () => {
    expect(encode(open, 'base64')).toBe(encode(open, 'protobuf').toString('base64'))
  })

  it.each(['CA4', 'CA4='])('may be padded or not: %s', (text) => {
    expect(decode(text, 'base64')).toEqual({ cmd: 'echo' })
  })

  it.each(['CA4-', 'CA 4=', '{}', 'CA4=CA4=', '', 'é'])('rejects other texts: %j', (text) => {
    expect(() => decode(text, 'base64')).toThrow(UnparseableFrame)
  })
})

describe('flat JSON', () => {
  it('has the fields of a part beside those of the envelope', () => {
    expect(JSON.parse(encode(open, 'json') as string)).toEqual({
      cmd: 'session',
      op: 'open',
      appId: 'app',
      peerId: '小明',
      i: 1,
      ua: 'js/5.0.0-rc.8',
      r: false,
      deviceId: '',
      lastPatchTime: 1_700_000_000_123,
      configBitmap: 0xbb,
    })
  })

  it('decodes the login of the C# SDK', () => {
    const text = '{"cmd":"login","appId":"app","installationId":"id","clientTs":1700000000000,"service":1,"i":1}'
    expect(decode(text, 'json')).toEqual({
      cmd: 'login',
      appId: 'app',
      installationId: 'id',
      clientTs: 1_700_000_000_000,
      service: 1,
      i: 1,
    })
  })

  it('has events of live queries as objects, not as texts', () => {
    const data = '{"op":"create","object":{"name":"x"},"query_id":"q"}'
    const command: GenericCommand = { cmd: 'data', service: 1, dataMessage: { ids: ['1'], msg: [{ data }] } }
    expect(JSON.parse(encode(command, 'json') as string)).toEqual({
      cmd: 'data',
      service: 1,
      ids: ['1'],
      msg: [{ op: 'create', object: { name: 'x' }, query_id: 'q' }],
    })
  })

  it('has a member that marks an error as a failure', () => {
    const errorMessage = { code: 4100, reason: 'APP_NOT_AVAILABLE' }
    expect(JSON.parse(encode({ cmd: 'error', i: 1, errorMessage }, 'json') as string)).toMatchObject({
      i: 1,
      error: { code: 4100, detail: 'APP_NOT_AVAILABLE' },
    })
    const detailed = { ...errorMessage, detail: 'no such app' }
    expect(JSON.parse(encode({ cmd: 'error', errorMessage: detailed }, 'json') as string)).toMatchObject({
      error: { code: 4100, detail: 'no such app' },
    })
  })

  it('skips unknown members and null values', () => {
    const text = '{"cmd":"echo","i":null,"__proto__":{"op":"open"},"constructor":1,"peerId":"a","op":"no such"}'
    expect(decode(text, 'json')).toEqual({ cmd: 'echo', peerId: 'a' })
  })

  const hostile: readonly string[] = [
    '',
    'null',
    '[]',
    '{}',
    '{"cmd":1}',
    '{"cmd":"nonsense"}',
    '{"cmd":"constructor"}',
    '{"cmd":"echo"',
    '{"cmd":"echo","i":"1"}',
    '{"cmd":"echo","i":1.5}',
    '{"cmd":"echo","i":1e300}',
    '{"cmd":"echo","peerId":[]}',
    '{"cmd":"session","sessionPeerIds":"abc"}',
    '{"cmd":"session","sessionPeerIds":[1]}',
    '{"cmd":"error","code":1}',
    '{"cmd":"read","convs":[{"mid":"1"}]}',
    '{"cmd":"read","convs":[null]}',
    '{"cmd":"conv","where":"{}"}',
    `{"cmd":"data","msg":[${'['.repeat(5000)}${']'.repeat(5000)}]}`,
  ]

  it.each(hostile)('rejects invalid commands: %.60s', (text) => {
    expect(() => decode(text, 'json')).toThrow(UnparseableFrame)
  })
})

it('rejects binary frames for text encodings, and the reverse', () => {
  expect(() => decode(encode(open, 'protobuf'), 'base64')).toThrow(UnparseableFrame)
  expect(() => decode(Buffer.from(encode(open, 'json')), 'json')).toThrow(UnparseableFrame)
  expect(() => decode(encode(open, 'base64'), 'protobuf')).toThrow(UnparseableFrame)
})
