import type { Translated } from '../../../i18n/translated.ts'
import type { appsEn } from './en.ts'

export const appsZh: Translated<typeof appsEn> = {
  title: '应用',
  about: '每个应用都有独立的数据、用户、文件和 Key。',
  search: '按名称、App ID 或所有者搜索',
  notFound: '没有名称、App ID 或所有者匹配的应用',
  none: '还没有应用',
  noneAbout: '请联系所有者创建应用，或为您授予应用的访问权限。',
  noneForOwner: '创建第一个应用，或从 LeanCloud 迁移应用并沿用原有的 App ID 和 Key。',
  made: '创建于{{ago}}',
  name: '名称',
  nameNeeded: '请填写应用名称。',
  ownerEmail: '所有者邮箱',
  ownerEmailAbout: '用于接收与应用有关的邮件，例如导出完成通知。',
  emailWrong: '邮箱格式不正确。',
  new: {
    title: '创建应用',
    make: '创建',
    made: '应用「{{name}}」已创建',
    madeAbout: '需要时可随时在应用的概览页查看这些 Key。',
    open: '打开应用',
    close: '关闭',
    ownKeys: '沿用已有的 App ID 和 Key',
    ownKeysAbout:
      '适用于迁移的应用：沿用原来的 App ID 和 Key，已安装的客户端无需更新即可继续使用。留空的项会自动生成。',
  },
  keys: {
    appId: 'App ID',
    appIdAbout: '应用的唯一标识，可以公开。',
    appKey: 'App Key',
    appKeyAbout: '供客户端使用，权限受 Class 访问权限和 ACL 限制。',
    masterKey: 'Master Key',
    masterKeyAbout: '不受任何权限限制，只能在您自己的服务器上使用，切勿放进客户端。',
    hookKey: 'Hook Key',
    hookKeyAbout: '云引擎用它验证请求来自本服务器。',
    notForReaders: '只读管理员不可查看',
    reveal: '显示 {{name}}',
    hide: '隐藏 {{name}}',
    copy: '复制 {{name}}',
    copied: '已复制',
  },
}
