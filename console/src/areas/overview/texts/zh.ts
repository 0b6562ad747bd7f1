import type { Translated } from '../../../i18n/translated.ts'
import type { overviewEn } from './en.ts'

export const overviewZh: Translated<typeof overviewEn> = {
  title: '概览',
  ofOwner: '所有者：{{email}}',
  edit: '编辑名称与所有者',
  save: '保存',
  connect: '接入应用',
  keys: '应用凭证',
  figures: {
    about: '约 {{number}}',
    objects: '对象',
    classes: 'Class 数',
    users: '用户',
    files: '文件',
    conversations: '对话',
    messages: '消息',
    devices: '设备',
    bytes: '数据库占用',
  },
  first: {
    title: '应用中还没有数据，从这里开始',
    connect: '接入应用',
    connectAbout: '使用 App ID、App Key 和本服务器的地址初始化 SDK：',
    data: '创建 Class，添加第一个对象',
    dataAbout: '也可以直接在应用中保存对象，首次写入时会自动创建 Class 和字段。',
    move: '迁移已有数据',
    moveAbout: '从 LeanCloud 导入数据、用户、文件和消息，ID 和密码保持不变。',
  },
  rotate: {
    title: '更换 Key',
    warning: '旧的 Key 会立即失效，且无法恢复。',
    confirm_one: '更换 {{count}} 个 Key',
    confirm_other: '更换 {{count}} 个 Key',
    done: '新的 Key 已生效',
    breaks: {
      masterKey: '您自己的服务器、脚本和云引擎需要换用新的 Key。',
      hookKey: '云引擎需要换用新的 Key，在此之前 Hook 和云函数会调用失败。',
      appKey: '所有已安装的客户端在更新到新的 Key 之前都无法使用。',
    },
  },
  recent: {
    title: '最近的变更',
    all: '操作日志',
    none: '还没有变更记录',
    noneAbout: '管理员对此应用的操作会记录在这里。',
    token: '管理令牌',
    refused: '被拒绝：{{status}}',
  },
  danger: {
    title: '危险操作',
    delete: '删除此应用',
    about: '永久删除应用的数据、用户、文件、消息和设置，其客户端将无法使用。',
  },
}
