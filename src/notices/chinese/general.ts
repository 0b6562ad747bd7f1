import type { Translation } from '../catalog.ts'
import type { GENERAL as ENGLISH } from '../english/general.ts'

export const GENERAL: Translation<typeof ENGLISH> = {
  text: '{{text}}',
  at: '{{where}}：{{what}}',
  because: '{{what}}：{{reason}}',
  andMore: '{{listed}} 等（另有 {{more}} 个）',
  invalidClassName: 'Class 名缺失或无效：必须以字母开头，只能包含 a-zA-Z0-9_，区分大小写。Class 为「{{name}}」。',
  objectIdMissing: '缺少 objectId。',
  invalidKeyName: '字段名无效：只能包含 a-zA-Z0-9_，区分大小写。字段为「{{key}}」。',
  jsonObjectExpected: 'JSON 对象格式不正确。',
  keyRequired: '缺少必填字段「{{key}}」。',
  keyReadOnly: '字段「{{key}}」只读。',
  nestedKeyName: "对象的键不能包含 '$' 或 '.'：「{{key}}」。",
  valueTaken: '唯一字段的值已被占用。',
  usernameTaken: '用户名已被占用。',
  emailTaken: '邮箱已被占用。',
  phoneNumberTaken: '手机号已被占用。',
  linkedIdMissing: "缺少第三方账号的 ID：authData.{{platform}} 需要字符串 '{{member}}'。",
  timedOut: '服务器处理超时，通常是因为请求开销过大。',
  unavailable: '暂时不可用。',
  diskFull: '暂时不可用：服务器磁盘已满，腾出空间之前无法存储数据。',
}
