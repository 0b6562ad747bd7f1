import type { Translated } from '../../../i18n/translated.ts'
import type { entryEn } from './en.ts'

export const entryZh: Translated<typeof entryEn> = {
  loginTitle: '登录 Homeport',
  name: '名称',
  firstName: '首位管理员的名称为 owner。',
  password: '密码',
  code: '一次性验证码',
  codeHint: '身份验证器应用中的六位数字',
  logIn: '登录',
  forgotten: '忘记密码？所有者可以为您生成一次性登录链接，也可以在服务器上执行以下命令生成：',
  needed: '此项必填。',
  enterTitle: '欢迎使用 Homeport',
  entering: '正在登录…',
  linkMissing: '链接不完整。请复制完整的 URL，包括 # 之后的部分。',
  linkUsed: '此链接已失效',
  toLogin: '使用名称和密码登录',
  loggedIn: '您已登录为 {{name}}',
  loggedInAbout: '使用此链接后，您将以该链接所属管理员的身份登录。请仅在信任链接来源时使用。',
  useLink: '使用此链接',
  stay: '继续以 {{name}} 的身份登录',
  enteredAs: '已登录为 {{name}}。',
  choosePassword: '设置密码',
  choosePasswordWhy: '链接只能使用一次。之后请使用名称 {{name}} 和此密码登录。',
  newPassword: '新密码',
  passwordRule: '至少 10 个字符',
  keepPassword: '保存密码',
}
