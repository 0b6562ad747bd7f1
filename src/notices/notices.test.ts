import { describe, expect, it } from 'vitest'
import { CHINESE, IN_CHINESE } from './chinese.ts'
import { ENGLISH } from './english.ts'
import { fillIn, piecesOf } from './fill-in.ts'
import { IN_ENGLISH, inEnglish } from './in-english.ts'
import { at, firstOf, isNotice, type Notice, notice, readNotice, storedNotice, textNotice } from './notice.ts'
import { NoticedError, noticeOf } from './noticed-error.ts'

/** Returns the names of the values of a template. */
function namesIn(template: string): string[] {
  return [...new Set([...template.matchAll(/\{\{(\w+)[:}]/g)].map(([, name]) => name!))].sort()
}

describe('the catalog', () => {
  const codes = Object.entries(ENGLISH).map(([code, english]) => ({
    code,
    english,
    chinese: CHINESE[code as keyof typeof CHINESE],
  }))

  it('uses each code for one notice', () => {
    const count = [...Object.keys(ENGLISH)].length
    expect(new Set(Object.keys(CHINESE)).size).toBe(count)
  })

  it.each(codes)('names the same values of $code in both languages', ({ english, chinese }) => {
    expect(namesIn(chinese)).toEqual(namesIn(english))
  })

  it.each(codes.filter(({ english }) => /[a-z]{3}/i.test(english.replaceAll(/\{\{.*?\}\}/g, ''))))(
    'has Chinese words for $code',
    ({ chinese }) => {
      expect(chinese).toMatch(/\p{Script=Han}/u)
    },
  )

  it.each(codes)('has a singular and a plural word for each number of $code', ({ english }) => {
    expect(english).not.toMatch(
      /\{\{\w+\}\} (rows|records|lines|bytes|files|columns|characters|members|headers|requests|messages|values|levels)\b/,
    )
  })
})

describe('a notice', () => {
  it.each<[string, Notice, string, string]>([
    ['without values', notice('emptyAcl'), ENGLISH.emptyAcl, CHINESE.emptyAcl],
    [
      'after the names of files',
      at('export.tar', at('Post.jsonl:3', notice('lineNotJson'))),
      'export.tar: Post.jsonl:3: The line must be valid JSON.',
      'export.tar：Post.jsonl:3：该行必须是有效的 JSON。',
    ],
    [
      'with a text of another server',
      notice('messagesNotRead', {
        reason: notice('because', {
          what: notice('sourceAnswers', { status: 403, method: 'GET', path: '/1.2/rtm/messages' }),
          reason: 'Nothing for you',
        }),
      }),
      'messages: the source returned 403 to GET /1.2/rtm/messages: Nothing for you',
      '聊天消息：来源返回 403（GET /1.2/rtm/messages）：Nothing for you',
    ],
    [
      'with one of something',
      notice('elementTooLong', { bytes: 1 }),
      'The element has 1 byte. The maximum size of an object is 16 MB.',
      '该元素有 1 字节，单个对象最大 16 MB。',
    ],
    [
      'with several of something',
      notice('elementTooLong', { bytes: 275 }),
      'The element has 275 bytes. The maximum size of an object is 16 MB.',
      '该元素有 275 字节，单个对象最大 16 MB。',
    ],
    [
      'with a list',
      notice('leaderboardArchivesMissing', { name: 'best', versions: ['1', '2'] }),
      'leaderboard best: archives of these versions are missing in the app: 1, 2',
      '排行榜 best：应用中缺少以下版本的归档：1、2',
    ],
    [
      'with the beginning of a long list',
      notice('permissionsNotInSchema', { classes: firstOf(['A', 'B', 'C'], 2) }),
      inEnglish(notice('permissionsNotInSchema', { classes: 'A, B and 1 more' })),
      fillIn(notice('permissionsNotInSchema', { classes: 'A、B 等（另有 1 个）' }), IN_CHINESE),
    ],
    [
      'with values that look like templates',
      textNotice('{{code}} {{n:a|b}} $&'),
      '{{code}} {{n:a|b}} $&',
      '{{code}} {{n:a|b}} $&',
    ],
  ])('%s has a text in each language', (_, given, english, chinese) => {
    expect([inEnglish(given), fillIn(given, IN_CHINESE)]).toEqual([english, chinese])
  })

  it('of another version is shown as its code and values', () => {
    const later = { code: 'madeLater', className: 'Post' }
    expect(inEnglish(later)).toBe('{"code":"madeLater","className":"Post"}')
    expect(inEnglish({ code: 'constructor' })).toBe('{"code":"constructor"}')
  })

  it('keeps its values apart from the words of the catalog', () => {
    expect(piecesOf(notice('classMissing', { className: 'Post' }), IN_ENGLISH)).toEqual([
      { text: 'class ', value: null },
      { text: 'Post', value: 'className' },
      { text: ' is missing in the app', value: null },
    ])
  })

  it.each<[string, unknown, boolean]>([
    ['a code', { code: 'a' }, true],
    ['values', { code: 'a', n: 1, t: 'x', list: ['y', 2, { code: 'b' }], inner: { code: 'c' } }, true],
    ['no code', { n: 1 }, false],
    ['another code', { code: 7 }, false],
    ['an object without a code', { code: 'a', inner: { n: 1 } }, false],
    ['null', null, false],
    ['a value of null', { code: 'a', n: null }, false],
    ['a list', [], false],
    ['too much text', { code: 'a', text: 'x'.repeat(5000) }, false],
    ['too deep a nesting', nested(9), false],
    ['some nesting', nested(5), true],
  ])('from outside with %s is validated', (_, given, isValid) => {
    expect(isNotice(given)).toBe(isValid)
  })

  it.each([
    notice('emptyAcl'),
    at('Post', notice('lineTooLong', { bytes: 7 })),
    textNotice('{"code":'),
    textNotice(''),
  ])('is stored as text and read again: %j', (given) => {
    expect(readNotice(storedNotice(given))).toEqual(given)
  })

  it.each(['The line is no JSON.', '', '{"code":1}', '{"code":"a"', '{"code":"a","b":null}'])(
    'of an earlier version, which stored English, is that text: %j',
    (text) => {
      expect(readNotice(text)).toEqual({ code: 'text', text })
    },
  )
})

describe('an error', () => {
  it('with a notice has its English text as message, and the notice as data', () => {
    const error = new NoticedError(notice('lineNotJson'))
    expect([error.message, noticeOf(error)]).toEqual(['The line must be valid JSON.', { code: 'lineNotJson' }])
  })

  it('without a notice becomes a notice of its text', () => {
    expect([noticeOf(new Error('odd')), noticeOf('odd')]).toEqual([textNotice('odd'), textNotice('odd')])
  })
})

function nested(depth: number): Notice {
  return depth === 1 ? notice('emptyAcl') : at('x', nested(depth - 1))
}
