import type { Translated } from '../../i18n/translated.ts'
import type { partsEn } from './en.ts'

export const partsZh: Translated<typeof partsEn> = {
  problem: {
    unreachable: '服务器没有响应',
    unreachableAdvice: '请确认服务器正在运行、网络已连接，然后重试。',
    forbiddenAdvice: '你的角色不允许此操作，可请所有者调整权限。',
    busyAdvice: '请求过于频繁，请稍后再试。',
    brokenAdvice: '服务器出现故障，详情请查看日志。',
    retry: '重试',
  },
  nowhere: {
    title: '这里什么也没有',
    about: '页面或应用已不存在，或者你没有访问权限。',
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
    type: '输入 {{name}} 以继续',
  },
  undo: {
    undo: '撤销',
    undone: '已撤销',
  },
  outdated: {
    title: '控制台已更新',
    about: '有一部分内容未能加载，通常是因为服务器刚刚升级。请重新加载页面；尚未保存的内容会丢失。',
    reload: '重新加载',
    missing: '无法加载此页面',
  },
}
