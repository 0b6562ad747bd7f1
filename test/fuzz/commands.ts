import fc from 'fast-check'
import type { Field, FieldTable } from '../../src/realtime-protocol/field-tables.ts'
import { CommandName, GenericCommand, OperationName } from '../../src/realtime-protocol/schema.ts'
import type { WireMessage, WireValue } from './command-frames.ts'
import { objectBody, operation, value, where } from './wire.ts'

/* Commands generated from the schema tables. Values known only when a command is sent are placeholders with an at sign:
   `@normal` for the id of a conversation, `@mine` for that of a message; see `named`. */

/** The most complex commands are sent more often. */
const OFTEN = new Set(['direct', 'logs', 'patch/modify', 'conv/start', 'conv/query', 'conv/update'])

/** Commands the server responds to, with their relevant fields. */
const SERVED: Readonly<Record<string, readonly string[]>> = {
  'session/open': ['r', 'tag', 'deviceId', 'st', 'configBitmap', 'lastUnreadNotifTime', 'lastPatchTime'],
  'session/close': [],
  'session/query': ['sessionPeerIds'],
  'session/refresh': ['st', 't', 'n', 's'],
  direct: ['cid', 'msg', 'r', 'transient', 'will', 'dt', 'mentionPids', 'mentionAll', 'pushData'],
  ack: ['cid', 'mid', 'fromts', 'tots'],
  read: ['convs'],
  logs: ['cid', 't', 'mid', 'tt', 'tmid', 'direction', 'l', 'limit', 'lctype', 'tIncluded'],
  'patch/modify': ['patches'],
  'patch/modified': ['lastPatchTime'],
  'report/upload': ['initiative', 'type', 'data'],
  'conv/start': ['m', 'attr', 'transient', 'unique', 'tempConv', 'tempConvTTL'],
  'conv/add': ['cid', 'm'],
  'conv/remove': ['cid', 'm'],
  'conv/query': ['where', 'sort', 'limit', 'skip', 'flag'],
  'conv/count': ['cid'],
  'conv/members': ['cid', 'limit'],
  'conv/is_member': ['cids', 'tempConvIds'],
  'conv/max_read': ['cid', 'queryAllMembers'],
  'conv/update': ['cid', 'attr'],
  'conv/mute': ['cid'],
  'conv/unmute': ['cid'],
  'conv/member_info_update': ['cid', 'targetClientId', 'info'],
  'conv/add_shutup': ['cid', 'm'],
  'conv/remove_shutup': ['cid', 'm'],
  'conv/query_shutup': ['cid', 'limit', 'next'],
  'conv/check_shutup': ['cid', 'm'],
  'blacklist/block': ['srcCid', 'toPids', 'toCids'],
  'blacklist/unblock': ['srcCid', 'toPids', 'toCids'],
  'blacklist/query': ['srcCid', 'limit', 'next'],
  'blacklist/check_block': ['srcCid', 'toPids'],
  login: ['systemInfo'],
  logout: [],
  echo: [],
}

const mostly = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>, weight = 6): fc.Arbitrary<Value> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd })

const oddText = fc.oneof(
  fc.constantFrom('', ' ', '\u0000', 'a\u0000b', '\ud800', 'x\udc00', '😀', "'", '"', '\\', '%', '$1', '{}', '[]'),
  fc.constantFrom('null', '__proto__', 'constructor', 'toString', '@', '../..', '_tmp:', '_tmp:\u0000', '_tmp:x'),
  fc.constantFrom(64, 65, 300, 3000, 5121, 17_000).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const conversationId = mostly(
  fc.constantFrom('@normal', '@normal', '@last', '@last', '@room', '@temporary', '@system', '@foreign'),
  fc.oneof(fc.constantFrom('555555555555555555555555', '_tmp:555555555555555555555555'), oddText),
  12,
)
const clientId = mostly(fc.constantFrom('alice', 'bob', 'carol', 'host', 'nobody'), oddText, 12)
const messageId = mostly(fc.constantFrom('@mine', '@theirs', '@foreign message', 'AAAAAAAAAAAAAAAAAAAAAA'), oddText)
const content = mostly(
  fc.constantFrom('hello', '{"_lctype":-1,"_lctext":"hello"}', '{"_lctype":1e99}', '{"_lctype":null}', '5'),
  oddText,
)
const json = fc.oneof(value, objectBody, oddText)
const condition = fc.oneof(
  { weight: 4, arbitrary: where },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '{}',
      '{"objectId":"@foreign"}',
      '{"m":"alice"}',
      '{"m":{"$all":["alice","host"],"$size":2}}',
      '{"name":{"$regex":"\\\\Qa\\\\E"}}',
      '{"name":{"$regex":"(a+)+$","$options":"im"}}',
      '{"lm":{"$gt":{"__type":"Date","iso":"1970-01-01T00:00:00.000Z"}}}',
      '{"tr":true}',
      '{"sys":true}',
    ),
  },
  { weight: 1, arbitrary: json },
)
const attributes = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '{}',
      '{"name":"a"}',
      '{"attr":{"color":"red"}}',
      '{"attr.color":"blue"}',
      '{"attr.color.dark":{"__op":"Increment","amount":1}}',
      '{"counted":{"__op":"Increment","amount":9e307}}',
      '{"name":{"__op":"Increment","amount":1}}',
      '{"listed":{"__op":"AddUnique","objects":[1]}}',
      '{"name":{"__op":"Add","objects":[1]}}',
      '{"m":[]}',
      '{"sys":true}',
      '{"objectId":"x"}',
      '{"ACL":{}}',
    ),
  },
  { weight: 2, arbitrary: objectBody },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('name', 'attr', 'attr.color', 'attr.color.dark', 'counted'), operation)
      .map(([key, one]) => `{"${key}":${one}}`),
  },
  { weight: 1, arbitrary: json },
)
const smallNumber = mostly(
  fc.integer({ min: 0, max: 30 }),
  fc.constantFrom(-1, -100, 100, 1000, 1001, 2 ** 31 - 1, -(2 ** 31)),
)
const now = BigInt(Date.now())
const time = mostly(
  fc.constantFrom<WireValue>('@my time', '@their time', 0n, now, now - 1000n, now + 3_600_000n),
  fc.constantFrom(-1n, 1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 253_402_300_800_000n),
  3,
)

/** Values by field name; other fields of the type get arbitrary values. */
const TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...named(['cid', 'cids', 'srcCid', 'toCids', 'tempConvIds', 'roomId'], conversationId),
  ...named(['m', 'toPids', 'srcPid', 'pid', 'pids', 'sessionPeerIds', 'targetClientId', 'mentionPids'], clientId),
  ...named(['mid', 'tmid', 'id', 'uid'], messageId),
  ...named(['msg', 'data'], content),
  role: mostly(fc.constantFrom('Member', 'Manager', 'Owner'), oddText),
  type: mostly(fc.constant('token'), oddText),
  tag: mostly(fc.constantFrom('phone', 'desktop', 'default'), oddText),
  deviceId: mostly(fc.constantFrom('one', 'two'), oddText),
  st: mostly(fc.constantFrom('', '@token', 'nonsense', 'e30.e30', '.'), oddText),
  sort: mostly(fc.constantFrom('lm', '-lm', 'createdAt,-name', '-', ',', 'a.b', '$x', 'm', '-attr.color'), oddText),
  next: mostly(fc.constantFrom('', '0', '10', '999999999', '9999999999', '-1', '1e3'), oddText),
  dt: mostly(fc.constantFrom('once', 'twice', 'x'.repeat(257)), oddText),
  pushData: mostly(fc.constantFrom('{"alert":"x"}', '{', 'x'.repeat(5000)), json),
}

function named<Value>(names: readonly string[], arbitrary: Value): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, arbitrary]))
}

/** Returns a generator of varying values for a field. */
function anyOf(field: Field): fc.Arbitrary<WireValue> {
  const one = scalarOf(field)
  if (!field.repeated) return one
  return fc.oneof(
    { weight: 12, arbitrary: fc.array(one, { maxLength: 3 }) },
    // Many equal or minimal values, within and beyond the frame limit.
    {
      weight: 1,
      arbitrary: fc.tuple(one, fc.constantFrom(50, 501, 2000, 10_000)).map(([item, count]) => Array(count).fill(item)),
    },
  )
}

function scalarOf(field: Field): fc.Arbitrary<WireValue> {
  switch (field.kind) {
    case 'part':
      return partOf(field.table, field.name)
    case 'name':
      return mostly<WireValue>(
        fc.constantFrom(...field.names.numbers.keys()),
        fc.constantFrom(0, 77, -1, 2 ** 31 - 1),
        12,
      )
    case 'string':
      return TEXTS[field.name] ?? oddText
    case 'bytes':
      return fc
        .oneof(fc.uint8Array({ maxLength: 20 }), fc.constant(new Uint8Array(5121)))
        .map((bytes) => Buffer.from(bytes))
    case 'bool':
      return fc.boolean()
    case 'int32':
      return smallNumber
    case 'int64':
      return field.name === 'configBitmap' ? fc.oneof(fc.constantFrom<WireValue>(0n, 0xbbn, 0x80n, -1n), time) : time
  }
}

const JSON_PARTS: Readonly<Record<string, fc.Arbitrary<string>>> = { where: condition, attr: attributes }

/** Generates a nested part. Missing required members make the frame unreadable. */
function partOf(table: FieldTable, name: string): fc.Arbitrary<WireMessage> {
  const members = Object.fromEntries([...table.byName.values()].map((field) => [field.name, anyOf(field)]))
  const whole: Record<string, fc.Arbitrary<WireValue>> = {
    ...members,
    ...(JSON_PARTS[name] && { data: JSON_PARTS[name] }),
  }
  return mostly(
    fc.record(whole, { requiredKeys: [...table.required] }) as fc.Arbitrary<WireMessage>,
    fc.record(whole, { requiredKeys: [] }) as fc.Arbitrary<WireMessage>,
    60,
  )
}

/** Generates some fields, mostly the relevant ones. */
function membersOf(table: FieldTable, relevant: readonly string[]): fc.Arbitrary<WireMessage> {
  const usual = fc.record(Object.fromEntries(relevant.map((name) => [name, anyOf(table.byName.get(name)!)])), {
    requiredKeys: [],
  })
  const others = [...table.byName.values()].map((field) => anyOf(field).map((item) => [field.name, item] as const))
  const extras = fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.oneof(...others), { maxLength: 3 }) },
  )
  return fc
    .tuple(usual, extras)
    .map(([members, extra]) => ({ ...Object.fromEntries(extra), ...members }) as WireMessage)
}

const number = mostly<number | undefined>(
  fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(0, -1, -65_535, 2 ** 31 - 1, -(2 ** 31))),
  fc.constant(undefined),
  8,
)
const peerId = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 5, arbitrary: fc.constantFrom<string | undefined>('alice', 'bob') },
  { weight: 1, arbitrary: clientId as fc.Arbitrary<string | undefined> },
)
const appId = fc.oneof(
  { weight: 40, arbitrary: fc.constant<string | undefined>(undefined) },
  { weight: 20, arbitrary: fc.constant<string | undefined>('@app') },
  { weight: 1, arbitrary: oddText as fc.Arbitrary<string | undefined> },
)
const envelope = fc.record({ i: number, peerId, appId })

function commandOf(
  cmd: string,
  op: string | number | undefined,
  relevant: readonly string[],
): fc.Arbitrary<WireMessage> {
  const field = GenericCommand.byName.get(`${cmd}Message`)
  const part = field?.kind === 'part' ? membersOf(field.table, relevant) : fc.constant({})
  return fc
    .tuple(envelope, mostly<WireMessage | undefined>(part, fc.constant(undefined), 15))
    .map(([about, members]) => {
      const whole = { cmd, op, ...about, [`${cmd}Message`]: field && members }
      return Object.fromEntries(Object.entries(whole).filter(([, item]) => item !== undefined)) as WireMessage
    })
}

const served = fc.oneof(
  ...Object.entries(SERVED).map(([name, relevant]) => {
    const [cmd, op] = name.split('/')
    return { weight: OFTEN.has(name) ? 3 : 1, arbitrary: commandOf(cmd!, op, relevant) }
  }),
)

/** Any command with any operation, including those only servers send. */
const anything = fc
  .tuple(
    fc.constantFrom(...CommandName.numbers.keys()),
    fc.oneof(
      fc.constantFrom<string | number | undefined>(...OperationName.numbers.keys()),
      fc.constantFrom(undefined, 0, 999),
    ),
  )
  .chain(([cmd, op]) => commandOf(cmd, op, []))

/** Adds parts of other commands. */
const mixed = fc.tuple(served, anything).map(([one, other]) => ({ ...other, ...one }) as WireMessage)

export const command: fc.Arbitrary<WireMessage> = fc.oneof(
  { weight: 14, arbitrary: served },
  { weight: 2, arbitrary: anything },
  { weight: 1, arbitrary: mixed },
)

/**
 * Replaces the placeholders with an at sign. It never joins a foreign conversation: everyone can join, and then it would no
 * longer be foreign.
 */
export function filled(command: WireMessage, known: ReadonlyMap<string, string | number>): WireMessage {
  const joins = command.cmd === 'conv' && command.op === 'add'
  const fill = (item: WireValue): WireValue => {
    if (typeof item === 'string') {
      const meant = joins && item === '@foreign' ? '@normal' : item
      return meant === '{"objectId":"@foreign"}'
        ? `{"objectId":"${known.get('@foreign')}"}`
        : (known.get(meant) ?? meant)
    }
    if (Array.isArray(item)) return item.map(fill)
    if (typeof item !== 'object' || Buffer.isBuffer(item)) return item
    return Object.fromEntries(Object.entries(item).map(([name, inner]) => [name, fill(inner)]))
  }
  return fill(command) as WireMessage
}
