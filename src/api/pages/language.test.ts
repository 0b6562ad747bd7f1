import { expect, it } from 'vitest'
import { languageOf } from './language.ts'

it.each([
  ['zh', 'zh-CN'],
  ['zh-CN', 'zh-CN'],
  ['zh-TW', 'zh-CN'],
  ['zh-Hant-HK', 'zh-CN'],
  ['zh_CN', 'zh-CN'],
  ['ZH', 'zh-CN'],
  ['en', 'en'],
  ['en-GB', 'en'],
])('?lang=%s selects %s, whatever the browser prefers', (parameter, language) => {
  expect(languageOf(parameter, 'zh')).toBe(language)
  expect(languageOf(parameter, 'en')).toBe(language)
})

it.each([undefined, null, '', 'fr', 'zhuang', 'english', '-zh', ['en', 'en'], { lang: 'en' }, 7])(
  '?lang=%j selects nothing: the browser decides',
  (parameter) => {
    expect(languageOf(parameter, 'zh-CN')).toBe('zh-CN')
    expect(languageOf(parameter, 'en')).toBe('en')
  },
)

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['fr-FR, de;q=0.9', 'en'],
  ['zh-CN,zh;q=0.9,en-US;q=0.8,en;q=0.7', 'zh-CN'],
  ['zh-TW', 'zh-CN'],
  ['en-US,en;q=0.9,zh-CN;q=0.8', 'en'],
  ['en;q=0.5, zh;q=0.8', 'zh-CN'],
  ['en;q=0.8, zh;q=0.5', 'en'],
  ['fr, zh;q=0.3, en;q=0.2', 'zh-CN'],
  ['zh, en', 'zh-CN'],
  ['en, zh', 'en'],
  ['zh;q=0', 'en'],
  ['zh;q=0, en;q=0', 'en'],
  ['zh;q=0.001', 'zh-CN'],
  ['zh;q=2, en;q=0.1', 'en'],
  ['zh;q=high, en;q=0.1', 'en'],
  ['en;q=0.5,zh; Q=0.9', 'zh-CN'],
  [' , ;;, zh ;q=1.000,', 'zh-CN'],
])('Accept-Language %j selects %s', (header, language) => expect(languageOf(undefined, header)).toBe(language))
