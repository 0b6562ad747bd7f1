import type { Translated } from '../../i18n/translated.ts'
import type { partsEn } from './en.ts'

export const partsZh: Translated<typeof partsEn> = {
  problem: {
    unreachable: '服务器没有响应',
    unreachableAdvice: '请确认服务器正在运行、网络已连接，然后重试。',
    forbiddenAdvice: '您的角色不允许此操作，请联系所有者调整角色。',
    busyAdvice: '请求过于频繁，请稍后再试。',
    brokenAdvice: '服务器内部错误，详情请查看服务器日志。',
    retry: '重试',
  },
  nowhere: {
    title: '页面不存在',
    about: '页面或应用不存在，或者您没有访问权限。',
    home: '全部应用',
  },
  grantees: {
    placeholder: '按名称或 objectId 搜索用户和角色',
    searching: '搜索中…',
    none: '没有匹配的用户或角色。',
  },
  clear: '清空',
  pages: {
    prev: '上一页',
    next: '下一页',
  },
  confirm: {
    delete: '删除',
    type: '输入 {{name}} 以确认',
  },
  undo: {
    undo: '撤销',
    undone: '已撤销',
  },
  entry: {
    empty: '请输入值。',
    rules: {
      number: '请输入数字，例如 12、-3.5 或 1e6。',
      digits: 'Number 只能保存约 16 位有效数字，该值保存后会改变。更长的数字请使用 String 类型。',
      integer: '请输入整数，例如 12。',
      atLeast: '请输入不小于 {{min}} 的数字。',
      between: '请输入 {{min}} 到 {{max}} 之间的数字。',
      boolean: '请输入 true 或 false。',
      time: '请填写完整的日期和时间，例如 2026-01-31 08:30。',
      noSuchTime: '该日期或时间不存在。',
      isoTime: '请输入 ISO 8601 格式的时间，例如 2026-01-31T08:30:00Z。',
      geoPoint: '请输入经度（-180 到 180）和纬度（-90 到 90），例如 116.4 39.9。',
      place: '请同时输入纬度和经度。',
      objectId: '请输入 objectId：1 到 128 个字母、数字、- 或 _。',
      base64: '请输入不含空白字符的 base64，长度为 4 的倍数，例如 aGVsbG8=。',
      json: '请输入合法的 JSON，字符串和键名要用双引号括起来。',
      object: '请输入 JSON 对象，例如 {"size": 1}。',
      array: '请输入 JSON 数组，例如 [1, "two"]。',
    },
  },
  outside: '在新标签页中从 {{host}} 打开',
  unshown: '无法显示此内容。',
  outdated: {
    title: '控制台已更新',
    about: '控制台的部分内容未能加载，通常是因为服务器刚刚升级。请重新加载页面，未保存的内容会丢失。',
    reload: '重新加载',
    missing: '无法加载此页面',
  },
}
