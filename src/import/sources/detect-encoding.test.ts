import { expect, test } from 'vitest'
import { detectEncoding, encodingNamed } from './detect-encoding.ts'

/** 姓名,城市 / 张三,北京 / 李四,上海 as saved by Excel in China. */
const GBK = Buffer.from('d0d5c3fb2cb3c7cad00ad5c5c8fd2cb1b1beb90ac0eecbc42cc9cfbaa30a', 'hex')
const CHINESE = '姓名,城市\n张三,北京\n李四,上海\n'

function utf16(text: string, isBig: boolean): Buffer {
  const bytes = Buffer.from(text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

test.each<[what: string, bytes: Uint8Array, encoding: string | null]>([
  ['ASCII', Buffer.from('{"n":1}\n'), 'utf-8'],
  ['nothing', Buffer.alloc(0), 'utf-8'],
  ['UTF-8', Buffer.from(CHINESE), 'utf-8'],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${CHINESE}`), 'utf-8'],
  ['UTF-8 that is cut off within a character', Buffer.from(CHINESE).subarray(0, 7), 'utf-8'],
  ['UTF-8 with a damaged line', Buffer.concat([Buffer.from(CHINESE), GBK.subarray(0, 4)]), 'utf-8'],
  ['GBK', GBK, 'gb18030'],
  ['GBK that is cut off within a character', GBK.subarray(0, GBK.length - 2), 'gb18030'],
  [
    'GBK with a damaged line',
    Buffer.concat([GBK, Buffer.from(CHINESE.slice(0, 2)), Buffer.from('\n'), GBK]),
    'gb18030',
  ],
  ['UTF-16 with a mark', utf16(`\ufeff${CHINESE}`, false), 'utf-16le'],
  ['UTF-16 with a mark, big end first', utf16(`\ufeff${CHINESE}`, true), 'utf-16be'],
  ['UTF-16 without a mark', utf16('{"name":"张三"}\n', false), 'utf-16le'],
  ['UTF-16 without a mark, big end first', utf16('{"name":"张三"}\n', true), 'utf-16be'],
  ...['一', '\u3000', '开', '是一个测试。一二三四五', '{"一":"一一"}'].flatMap(
    (text): [string, Uint8Array, string][] => [
      [`UTF-16 with ${text} without a mark`, utf16(`{"objectId":"a","t":"${text}"}\n`, false), 'utf-16le'],
      [
        `UTF-16 with ${text} without a mark, big end first`,
        utf16(`{"objectId":"a","t":"${text}"}\n`, true),
        'utf-16be',
      ],
    ],
  ),
  ['32-bit numbers', Buffer.from(new Uint32Array([1, 2, 3, 400, 5, 6]).buffer), null],
  ['16-bit numbers', Buffer.from(new Uint16Array([0, 1, 0, 2, 0, 300]).buffer), null],
  ['Latin-1', Buffer.from('nom,ville\nRené,Orléans\nÉric,Nîmes\n', 'latin1'), 'utf-8'],
  ['bytes', Buffer.from([0, 1, 2, 0, 0, 3, 0]), null],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), null],
])('detects the encoding of %s', (_, bytes, encoding) => {
  expect(detectEncoding(bytes)).toBe(encoding)
})

test.each([
  ['GBK', 'gb18030'],
  ['gb2312', 'gb18030'],
  ['UTF-16', 'utf-16le'],
  ['utf-16 BE', 'utf-16be'],
  ['utf8', 'utf-8'],
  ['big5', null],
  ['constructor', null],
])('%s is an alias of %s', (name, encoding) => {
  expect(encodingNamed(name)).toBe(encoding)
})
