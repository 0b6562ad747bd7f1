import { describe, expect, it } from 'vitest'
import { cutWords } from './words.ts'

const cut = (text: string) => cutWords(text).map(({ text, inner }) => (inner ? `(${text})` : text))

describe('words of a text', () => {
  it.each([
    ['The quick-brown fox', ['the', 'quick', 'brown', 'fox']],
    ["don't foo_bar 3.14", ['don', 't', 'foo', 'bar', '3', '14']],
    ['ＡＢＣ ﬁne', ['abc', 'fine']],
    ['云引擎支持全文搜索', ['云', '引擎', '支持', '全文', '搜索']],
    ['iPhone手机壳', ['iphone', '手机', '壳']],
    ['大学生活动', ['大学生', '(大学)', '(学生)', '活动']],
    ['สวัสดีชาวโลก', ['สวัสดี', 'ชาว', 'โลก']],
    ['안녕하세요 세계', ['안녕하세요', '세계']],
    ['!!! … 😀', []],
    ['', []],
  ])('%s', (text, words) => {
    expect(cut(text)).toEqual(words)
  })

  it('are located at their offsets', () => {
    const text = '我在 New York 的大学生活动中心！'
    for (const { text: word, start, end } of cutWords(text)) expect(text.slice(start, end).toLowerCase()).toBe(word)
  })

  it('inside of others have the position of the outer word', () => {
    const positions = cutWords('北京大学生').map(({ text, position }) => [text, position])
    expect(positions).toEqual([
      ['北京', 0],
      ['大学生', 1],
      ['大学', 1],
      ['学生', 1],
    ])
  })

  it('of a long text without spaces are those of its pieces, in linear time', () => {
    const sentence = '我们在北京大学学习中文信息处理云引擎支持全文搜索功能'
    const once = cutWords(sentence).length
    expect(cutWords(sentence.repeat(4000)).length).toBe(once * 4000)
  }, 20_000)

  it('are limited to the requested number', () => {
    expect(cutWords('a b c d', 2).map(({ text }) => text)).toEqual(['a', 'b'])
  })

  it('have at most 64 significant characters', () => {
    expect(cutWords('x'.repeat(100_000))[0]!.text).toBe('x'.repeat(64))
  })
})
