import { describe, expect, test } from 'vitest'
import { urlFinder, withUrls } from './former-urls.ts'

const find = urlFinder(['ac-x1.clouddn.com', 'old.example.com:8080', 'shared.example.com/files/app1'])
const urls = new Map(['abc.png', 'a/b c.jpg', 'bare', '名.png', 'x)'].map((key) => [key, `https://new.cn/${key}`]))
const rewritten = (text: string) => withUrls(text, find(text), urls)

describe('URLs of files in a text', () => {
  test.each([
    ['http://ac-x1.clouddn.com/abc.png', 'https://new.cn/abc.png'],
    ['HTTPS://AC-X1.clouddn.com/abc.png', 'https://new.cn/abc.png'],
    ['see http://old.example.com:8080/bare?imageView2/1/w/80 and', 'see https://new.cn/bare?imageView2/1/w/80 and'],
    ['![](http://ac-x1.clouddn.com/abc.png), so', '![](https://new.cn/abc.png), so'],
    ['看http://ac-x1.clouddn.com/abc.png，很好。', '看https://new.cn/abc.png，很好。'],
    ['http://ac-x1.clouddn.com/a/b%20c.jpg#x', 'https://new.cn/a/b c.jpg#x'],
    ['http://ac-x1.clouddn.com/%E5%90%8D.png', 'https://new.cn/名.png'],
    ['http://ac-x1.clouddn.com/名.png', 'https://new.cn/名.png'],
    ['http://ac-x1.clouddn.com/x)', 'https://new.cn/x)'],
    ['{"url":"http:\\/\\/ac-x1.clouddn.com\\/abc.png"}', '{"url":"https:\\/\\/new.cn\\/abc.png"}'],
    ['http://shared.example.com/files/app1/abc.png', 'https://new.cn/abc.png'],
    [
      '<a href="http://ac-x1.clouddn.com/abc.png">http://ac-x1.clouddn.com/abc.png</a>',
      '<a href="https://new.cn/abc.png">https://new.cn/abc.png</a>',
    ],
  ])('are replaced in %s', (text, expected) => {
    expect(rewritten(text).text).toBe(expected)
    expect(rewritten(expected).count).toBe(0)
  })

  test.each([
    'http://other.example.com/abc.png',
    'http://ac-x1.clouddn.com.evil.cn/abc.png',
    'http://ac-x1.clouddn.com/unknown.png',
    'http://ac-x1.clouddn.com/abc.png.bak',
    'http://ac-x1.clouddn.com/abc.png/more',
    'http://shared.example.com/files/app2/abc.png',
    'http://shared.example.com/abc.png',
    'ftp://ac-x1.clouddn.com/abc.png',
    'http://ac-x1.clouddn.com/',
    'http://ac-x1.clouddn.com/%zz%00',
  ])('leaves %s unchanged', (text) => {
    expect(rewritten(text)).toEqual({ text, count: 0 })
  })

  test('are found in time linear in the text', () => {
    const pieces = ['http://', 'http:\\/\\/ac-x1.clouddn.com', 'http://ac-x1.clouddn.com/a', '/)))))', 'http:////']
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(2_000_000 / piece.length))
      const began = performance.now()
      rewritten(text)
      expect(performance.now() - began).toBeLessThan(20_000)
    }
  })
})
