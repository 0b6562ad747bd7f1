// Generated from schema.proto by `npm run types:protocol`.

import { fields, type NameOf, names, type ValuesOf } from './field-tables.ts'

/** protocol/realtime, CommandType */
export const CommandName = names({
  session: 0,
  conv: 1,
  direct: 2,
  ack: 3,
  rcp: 4,
  unread: 5,
  logs: 6,
  error: 7,
  login: 8,
  data: 9,
  room: 10,
  read: 11,
  presence: 12,
  report: 13,
  echo: 14,
  loggedin: 15,
  logout: 16,
  loggedout: 17,
  patch: 18,
  pubsub: 19,
  blacklist: 20,
  goaway: 21,
})
export type CommandName = NameOf<typeof CommandName>

/** protocol/realtime, OpType */
export const OperationName = names({
  open: 1,
  add: 2,
  remove: 3,
  close: 4,
  opened: 5,
  closed: 6,
  query: 7,
  query_result: 8,
  conflict: 9,
  added: 10,
  removed: 11,
  refresh: 12,
  refreshed: 13,
  start: 30,
  started: 31,
  joined: 32,
  members_joined: 33,
  left: 39,
  members_left: 40,
  results: 42,
  count: 43,
  result: 44,
  update: 45,
  updated: 46,
  mute: 47,
  unmute: 48,
  status: 49,
  members: 50,
  max_read: 51,
  is_member: 52,
  member_info_update: 53,
  member_info_updated: 54,
  member_info_changed: 55,
  join: 80,
  invite: 81,
  leave: 82,
  kick: 83,
  reject: 84,
  invited: 85,
  kicked: 86,
  upload: 100,
  uploaded: 101,
  subscribe: 120,
  subscribed: 121,
  unsubscribe: 122,
  unsubscribed: 123,
  is_subscribed: 124,
  modify: 150,
  modified: 151,
  block: 170,
  unblock: 171,
  blocked: 172,
  unblocked: 173,
  members_blocked: 174,
  members_unblocked: 175,
  check_block: 176,
  check_result: 177,
  add_shutup: 180,
  remove_shutup: 181,
  query_shutup: 182,
  shutup_added: 183,
  shutup_removed: 184,
  shutup_result: 185,
  shutuped: 186,
  unshutuped: 187,
  members_shutuped: 188,
  members_unshutuped: 189,
  check_shutup: 190,
})
export type OperationName = NameOf<typeof OperationName>

export const JsonObjectMessage = fields({
  /** JSON text. */
  data: [1, 'string', 'required'],
})
export type JsonObjectMessage = ValuesOf<typeof JsonObjectMessage>

export const SemanticVersion = fields({
  major: [1, 'int32'],
  minor: [2, 'int32'],
  patch: [3, 'int32'],
  preRelease: [4, 'string'],
  build: [5, 'string'],
})
export type SemanticVersion = ValuesOf<typeof SemanticVersion>

export const AndroidVersion = fields({
  codename: [1, 'string'],
  apiLevel: [2, 'string'],
})
export type AndroidVersion = ValuesOf<typeof AndroidVersion>

export const SystemInfo = fields({
  deviceType: [1, names({ unknown: 0, android: 1, ios: 2 })],
  osVersion: [2, SemanticVersion],
  androidVersion: [3, AndroidVersion],
  isEmulator: [4, 'bool'],
})
export type SystemInfo = ValuesOf<typeof SystemInfo>

export const LoginCommand = fields({
  systemInfo: [1, SystemInfo],
})
export type LoginCommand = ValuesOf<typeof LoginCommand>

export const LoggedinCommand = fields({
  pushDisabled: [1, 'bool'],
})
export type LoggedinCommand = ValuesOf<typeof LoggedinCommand>

export const DataCommand = fields({
  ids: [1, 'string', 'repeated'],
  msg: [2, JsonObjectMessage, 'repeated'],
  offline: [3, 'bool'],
})
export type DataCommand = ValuesOf<typeof DataCommand>

export const SessionCommand = fields({
  t: [1, 'int64'],
  n: [2, 'string'],
  s: [3, 'string'],
  ua: [4, 'string'],
  r: [5, 'bool'],
  tag: [6, 'string'],
  deviceId: [7, 'string'],
  sessionPeerIds: [8, 'string', 'repeated'],
  onlineSessionPeerIds: [9, 'string', 'repeated'],
  st: [10, 'string'],
  stTtl: [11, 'int32'],
  code: [12, 'int32'],
  reason: [13, 'string'],
  deviceToken: [14, 'string'],
  sp: [15, 'bool'],
  detail: [16, 'string'],
  lastUnreadNotifTime: [17, 'int64'],
  lastPatchTime: [18, 'int64'],
  configBitmap: [19, 'int64'],
  systemInfo: [20, SystemInfo],
})
export type SessionCommand = ValuesOf<typeof SessionCommand>

export const ErrorCommand = fields({
  code: [1, 'int32', 'required'],
  reason: [2, 'string', 'required'],
  appCode: [3, 'int32'],
  detail: [4, 'string'],
  pids: [5, 'string', 'repeated'],
  appMsg: [6, 'string'],
})
export type ErrorCommand = ValuesOf<typeof ErrorCommand>

export const DirectCommand = fields({
  msg: [1, 'string'],
  uid: [2, 'string'],
  fromPeerId: [3, 'string'],
  timestamp: [4, 'int64'],
  offline: [5, 'bool'],
  hasMore: [6, 'bool'],
  toPeerIds: [7, 'string', 'repeated'],
  r: [10, 'bool'],
  cid: [11, 'string'],
  id: [12, 'string'],
  transient: [13, 'bool'],
  dt: [14, 'string'],
  roomId: [15, 'string'],
  pushData: [16, 'string'],
  will: [17, 'bool'],
  patchTimestamp: [18, 'int64'],
  binaryMsg: [19, 'bytes'],
  mentionPids: [20, 'string', 'repeated'],
  mentionAll: [21, 'bool'],
  convType: [22, 'int32'],
})
export type DirectCommand = ValuesOf<typeof DirectCommand>

export const AckCommand = fields({
  code: [1, 'int32'],
  reason: [2, 'string'],
  mid: [3, 'string'],
  cid: [4, 'string'],
  t: [5, 'int64'],
  uid: [6, 'string'],
  fromts: [7, 'int64'],
  tots: [8, 'int64'],
  type: [9, 'string'],
  ids: [10, 'string', 'repeated'],
  appCode: [11, 'int32'],
  appMsg: [12, 'string'],
})
export type AckCommand = ValuesOf<typeof AckCommand>

export const UnreadTuple = fields({
  cid: [1, 'string', 'required'],
  unread: [2, 'int32', 'required'],
  mid: [3, 'string'],
  timestamp: [4, 'int64'],
  from: [5, 'string'],
  data: [6, 'string'],
  patchTimestamp: [7, 'int64'],
  mentioned: [8, 'bool'],
  binaryMsg: [9, 'bytes'],
  convType: [10, 'int32'],
})
export type UnreadTuple = ValuesOf<typeof UnreadTuple>

export const UnreadCommand = fields({
  convs: [1, UnreadTuple, 'repeated'],
  notifTime: [2, 'int64'],
})
export type UnreadCommand = ValuesOf<typeof UnreadCommand>

export const ReadTuple = fields({
  cid: [1, 'string', 'required'],
  timestamp: [2, 'int64'],
  mid: [3, 'string'],
})
export type ReadTuple = ValuesOf<typeof ReadTuple>

export const ReadCommand = fields({
  cid: [1, 'string'],
  cids: [2, 'string', 'repeated'],
  convs: [3, ReadTuple, 'repeated'],
})
export type ReadCommand = ValuesOf<typeof ReadCommand>

export const RcpCommand = fields({
  id: [1, 'string'],
  cid: [2, 'string'],
  t: [3, 'int64'],
  read: [4, 'bool'],
  from: [5, 'string'],
})
export type RcpCommand = ValuesOf<typeof RcpCommand>

export const LogItem = fields({
  from: [1, 'string'],
  data: [2, 'string'],
  timestamp: [3, 'int64'],
  msgId: [4, 'string'],
  ackAt: [5, 'int64'],
  readAt: [6, 'int64'],
  patchTimestamp: [7, 'int64'],
  mentionAll: [8, 'bool'],
  mentionPids: [9, 'string', 'repeated'],
  bin: [10, 'bool'],
  convType: [11, 'int32'],
})
export type LogItem = ValuesOf<typeof LogItem>

export const LogsCommand = fields({
  cid: [1, 'string'],
  l: [2, 'int32'],
  limit: [3, 'int32'],
  t: [4, 'int64'],
  tt: [5, 'int64'],
  tmid: [6, 'string'],
  mid: [7, 'string'],
  checksum: [8, 'string'],
  stored: [9, 'bool'],
  /** Absent means old. */
  direction: [10, names({ old: 1, new: 2 })],
  tIncluded: [11, 'bool'],
  ttIncluded: [12, 'bool'],
  lctype: [13, 'int32'],
  logs: [105, LogItem, 'repeated'],
})
export type LogsCommand = ValuesOf<typeof LogsCommand>

export const MaxReadTuple = fields({
  pid: [1, 'string'],
  maxAckTimestamp: [2, 'int64'],
  maxReadTimestamp: [3, 'int64'],
})
export type MaxReadTuple = ValuesOf<typeof MaxReadTuple>

export const ConvMemberInfo = fields({
  pid: [1, 'string'],
  role: [2, 'string'],
  infoId: [3, 'string'],
})
export type ConvMemberInfo = ValuesOf<typeof ConvMemberInfo>

export const ConvCommand = fields({
  m: [1, 'string', 'repeated'],
  transient: [2, 'bool'],
  unique: [3, 'bool'],
  cid: [4, 'string'],
  cdate: [5, 'string'],
  initBy: [6, 'string'],
  sort: [7, 'string'],
  limit: [8, 'int32'],
  skip: [9, 'int32'],
  flag: [10, 'int32'],
  count: [11, 'int32'],
  udate: [12, 'string'],
  t: [13, 'int64'],
  n: [14, 'string'],
  s: [15, 'string'],
  statusSub: [16, 'bool'],
  statusPub: [17, 'bool'],
  statusTTL: [18, 'int32'],
  uniqueId: [19, 'string'],
  targetClientId: [20, 'string'],
  maxReadTimestamp: [21, 'int64'],
  maxAckTimestamp: [22, 'int64'],
  queryAllMembers: [23, 'bool'],
  maxReadTuples: [24, MaxReadTuple, 'repeated'],
  cids: [25, 'string', 'repeated'],
  info: [26, ConvMemberInfo],
  tempConv: [27, 'bool'],
  tempConvTTL: [28, 'int32'],
  tempConvIds: [29, 'string', 'repeated'],
  allowedPids: [30, 'string', 'repeated'],
  failedPids: [31, ErrorCommand, 'repeated'],
  existing: [32, 'bool'],
  next: [40, 'string'],
  results: [100, JsonObjectMessage],
  where: [101, JsonObjectMessage],
  attr: [103, JsonObjectMessage],
  attrModified: [104, JsonObjectMessage],
})
export type ConvCommand = ValuesOf<typeof ConvCommand>

export const PatchItem = fields({
  cid: [1, 'string'],
  mid: [2, 'string'],
  timestamp: [3, 'int64'],
  recall: [4, 'bool'],
  data: [5, 'string'],
  patchTimestamp: [6, 'int64'],
  from: [7, 'string'],
  binaryMsg: [8, 'bytes'],
  mentionAll: [9, 'bool'],
  mentionPids: [10, 'string', 'repeated'],
  patchCode: [11, 'int64'],
  patchReason: [12, 'string'],
})
export type PatchItem = ValuesOf<typeof PatchItem>

export const PatchCommand = fields({
  patches: [1, PatchItem, 'repeated'],
  lastPatchTime: [2, 'int64'],
})
export type PatchCommand = ValuesOf<typeof PatchCommand>

export const BlacklistCommand = fields({
  srcCid: [1, 'string'],
  toPids: [2, 'string', 'repeated'],
  srcPid: [3, 'string'],
  toCids: [4, 'string', 'repeated'],
  limit: [5, 'int32'],
  next: [6, 'string'],
  blockedPids: [8, 'string', 'repeated'],
  blockedCids: [9, 'string', 'repeated'],
  allowedPids: [10, 'string', 'repeated'],
  failedPids: [11, ErrorCommand, 'repeated'],
  t: [12, 'int64'],
  n: [13, 'string'],
  s: [14, 'string'],
})
export type BlacklistCommand = ValuesOf<typeof BlacklistCommand>

export const ReportCommand = fields({
  initiative: [1, 'bool'],
  type: [2, 'string'],
  data: [3, 'string'],
})
export type ReportCommand = ValuesOf<typeof ReportCommand>

export const RoomCommand = fields({
  roomId: [1, 'string'],
  s: [2, 'string'],
  t: [3, 'int64'],
  n: [4, 'string'],
  transient: [5, 'bool'],
  roomPeerIds: [6, 'string', 'repeated'],
  byPeerId: [7, 'string'],
})
export type RoomCommand = ValuesOf<typeof RoomCommand>

export const PresenceCommand = fields({
  status: [1, names({ on: 1, off: 2 })],
  sessionPeerIds: [2, 'string', 'repeated'],
  cid: [3, 'string'],
})
export type PresenceCommand = ValuesOf<typeof PresenceCommand>

export const PubsubCommand = fields({
  cid: [1, 'string'],
  cids: [2, 'string', 'repeated'],
  topic: [3, 'string'],
  subtopic: [4, 'string'],
  topics: [5, 'string', 'repeated'],
  subtopics: [6, 'string', 'repeated'],
  results: [7, JsonObjectMessage],
})
export type PubsubCommand = ValuesOf<typeof PubsubCommand>

/**
 * The envelope. Each command has one part of its own, named after it; a few have none (protocol/realtime,
 * GenericCommand).
 */
export const GenericCommand = fields({
  /** Always set. A command that we do not know has none, and is refused as a whole. */
  cmd: [1, CommandName, 'required'],
  op: [2, OperationName],
  appId: [3, 'string'],
  peerId: [4, 'string'],
  i: [5, 'int32'],
  installationId: [6, 'string'],
  priority: [7, 'int32'],
  service: [8, 'int32'],
  serverTs: [9, 'int64'],
  clientTs: [10, 'int64'],
  notificationType: [11, 'int32'],
  loginMessage: [100, LoginCommand],
  dataMessage: [101, DataCommand],
  sessionMessage: [102, SessionCommand],
  errorMessage: [103, ErrorCommand],
  directMessage: [104, DirectCommand],
  ackMessage: [105, AckCommand],
  unreadMessage: [106, UnreadCommand],
  readMessage: [107, ReadCommand],
  rcpMessage: [108, RcpCommand],
  logsMessage: [109, LogsCommand],
  convMessage: [110, ConvCommand],
  roomMessage: [111, RoomCommand],
  presenceMessage: [112, PresenceCommand],
  reportMessage: [113, ReportCommand],
  patchMessage: [114, PatchCommand],
  pubsubMessage: [115, PubsubCommand],
  blacklistMessage: [116, BlacklistCommand],
  loggedinMessage: [117, LoggedinCommand],
})
export type GenericCommand = ValuesOf<typeof GenericCommand>
