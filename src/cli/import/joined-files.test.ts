import { describe, expect, it } from 'vitest'
import { recognise } from '../../import/forms/recognise.ts'
import { hasRecords, recordsOf } from '../../import/forms/records.ts'
import { ByteReader } from '../../import/sources/byte-reader.ts'
import { SourceFault } from '../../import/sources/source-fault.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { notice } from '../../notices/notice.ts'
import { kindOf } from './send.ts'

/** Returns the records of a file, each with its class, or class and field; null for a record that is not imported. */
async function read(text: string, size = 64 * 1024, fault?: Error) {
  async function* pieces() {
    const bytes = Buffer.from(text)
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
    if (fault) throw fault
  }
  const reader = new ByteReader(pieces())
  const form = await recognise('joined.jsonl', reader, { className: undefined, relation: undefined })
  if (!hasRecords(form)) throw new Error(JSON.stringify(form))
  const found: [of: string | null, text: string][] = []
  try {
    for await (const record of recordsOf(form, reader)) {
      if (record.isHeader) continue
      const kind = kindOf(form, record)
      const of = kind && ('field' in kind ? `${kind.className}.${kind.field}` : kind.className)
      found.push([of, kind ? record.text : inEnglish(record.reason!)])
    }
  } catch (error) {
    if (error !== fault) throw error
  }
  return found
}

const header = (said: object, space = ' ') => `#filetype:JSON-streaming${space}${JSON.stringify(said)}\n`
const posts = `${header({ type: 'Class', class: 'Post' })}{"objectId":"p1"}\n`
const users = header({ type: 'Class', class: '_User' })
const user = '{"objectId":"u1","password":"secret"}'

describe('a header within a file changes the class of the following lines', () => {
  it.each<[string, string, number?]>([
    ['', `${posts}${users}${user}\n`],
    ['in small pieces', `${posts}${users}${user}\n`, 3],
    ['without a last newline', `${posts}${users}${user}`],
    ['with returns', `${posts}${users}${user}\n`.replaceAll('\n', '\r\n')],
    ['after empty lines', `\n\n${posts}\n \n${users}\n${user}\n`],
    ['after byte order marks', `\ufeff${posts}\ufeff${users}${user}\n`],
    ['without a space', `${posts}${users.replace(' ', '')}${user}\n`],
    ['after comments', `# joined\n${posts}# more\n${users}${user}\n`],
    ['in a file without a first header', `{"objectId":"p1"}\n${users}${user}\n`],
  ])('%s', async (what, text, size) => {
    const first = what.includes('without a first') ? 'joined' : 'Post'
    expect(await read(text, size)).toEqual([
      [first, '{"objectId":"p1"}'],
      ['_User', user],
    ])
  })

  describe.each<[string, string]>([
    ['as exported', '#filetype:JSON-streaming {"type":"Class","class":"_User"}'],
    ['with a space after #', '# filetype:JSON-streaming {"type":"Class","class":"_User"}'],
    ['with spaces around the colon', '#filetype : JSON-streaming {"type":"Class","class":"_User"}'],
    ['in upper case', '#FILETYPE:JSON-STREAMING {"type":"Class","class":"_User"}'],
    ['indented', '  \t#filetype:JSON-streaming {"type":"Class","class":"_User"}  '],
    ['after a fixed space', '\u00a0#filetype:JSON-streaming {"type":"Class","class":"_User"}'],
    ['after a space without width', '\u200b#filetype:JSON-streaming {"type":"Class","class":"_User"}'],
    ['after two byte order marks', '\ufeff\ufeff#filetype:JSON-streaming {"type":"Class","class":"_User"}'],
  ])('%s', (_how, line) => {
    it.each<[string, string]>([
      ['lines', posts],
      ['lines without a last newline', posts.trimEnd()],
      ['lines that end with spaces', posts.replace('\n{"objectId":"p1"}\n', '\n{"objectId":"p1"} \t')],
      ['a list', '[{"objectId":"p1"}]\n'],
      ['a list without a last newline', '[{"objectId":"p1"}]'],
      ['a page', '{"results":[{"objectId":"p1"}]}\n# a comment\n'],
      ['a page over lines', '{"results":\n[{"objectId":"p1"}\n]\n}\n'],
      ['objects over lines', '{\n"objectId":"p1"\n}\n'],
      ['lists by class', '{"Post":[{"objectId":"p1"}]}\n'],
    ])('after %s', async (_what, before) => {
      // Without its line break, a header can only be recognized in its exact form.
      const isSplit = before.endsWith('\n') || line.startsWith('#filetype:')
      const text = `${before}${isSplit ? '' : '\n'}${line}\n${user}\n`
      for (const size of [undefined, 1, 7]) {
        const [[first, post] = [], ...more] = await read(text, size)
        expect(['Post', 'joined']).toContain(first)
        expect(JSON.parse(post!)).toEqual({ objectId: 'p1' })
        expect(more).toEqual([['_User', user]])
      }
    })
  })

  it('keeps a text that contains a header', async () => {
    const object = JSON.stringify({ text: users.trim() })
    expect(await read(`${posts}${object}\n`)).toEqual([
      ['Post', '{"objectId":"p1"}'],
      ['Post', object],
    ])
  })

  it('rejects a damaged record before a header, and changes the class nevertheless', async () => {
    expect(await read(`${posts}{"objectId":"p2","t":"cut${users}${user}\n`)).toEqual([
      ['Post', '{"objectId":"p1"}'],
      ['Post', '{"objectId":"p2","t":"cut'],
      ['_User', user],
    ])
  })

  it.each<[string, object, string, string]>([
    ['members', { type: 'Relation', class: 'Post', field: 'likes', target: '_User' }, 'Post.likes', '{"owningId":"a"}'],
    ['members of a backup', { type: 'Class', class: '_Join:Post:likes:_User' }, 'Post.likes', '{"owningId":"a"}'],
    ['messages', { type: 'Messaging', of: 'messages' }, 'messaging-messages', '{"msg-id":"m"}'],
    ['boards', { type: 'Leaderboards' }, 'leaderboard-boards', '{}'],
    ['values of boards', { type: 'Statistics', board: 'b', version: 1, memberType: '_User' }, '_User', '{}'],
  ])('into %s', async (_what, said, of, line) => {
    expect(await read(`${posts}${header(said)}${line}\n${users}${user}\n`)).toEqual([
      ['Post', '{"objectId":"p1"}'],
      [of, line],
      ['_User', user],
    ])
  })

  it('into rejected records of an import, and back', async () => {
    const rejected = `${header({ type: 'Rejected' })}{"className":"Game","object":{"n":1}}\n`
    expect(await read(`${posts}${rejected}${users}${user}`)).toEqual([
      ['Post', '{"objectId":"p1"}'],
      ['Game', '{"n":1}'],
      ['_User', user],
    ])
    expect((await read(`${rejected}${users}${user}`)).map(([of]) => of)).toEqual(['Game', '_User'])
  })
})

describe('skips lines after a header of another type, and reports it', () => {
  it.each([
    ['another type', header({ type: 'Join', class: 'Post' }), /"type":"Join".* 2 following lines were not read/],
    ['another form', '#filetype:CSV\n', /#filetype:CSV.* 2 following lines were not read/],
    [
      'a damaged one',
      '#filetype:JSON-streaming {"type":"Class","cl\n',
      /unknown type .*; 2 following lines were not read/,
    ],
    ['a name that is none', header({ type: 'Class', class: '1 bad' }), /1 bad.* 2 following lines were not read/],
    ['a list of files', header({ type: 'Files' }), /a file of its own; 2 following lines were not read/],
  ])('%s', async (_what, other, reason) => {
    const lines = '{"a":1}\n{"a":2}\n'
    const first = ['Post', '{"objectId":"p1"}']
    const named = [null, expect.stringMatching(reason)]
    expect(await read(`${posts}${other}${lines}${users}${user}`)).toEqual([first, named, ['_User', user]])
    expect(await read(`${posts}${other}${lines}`)).toEqual([first, named])
    expect(await read(`${posts}${other}${lines}`, 5, new SourceFault(notice('cutOff')))).toEqual([first, named])
  })
})
