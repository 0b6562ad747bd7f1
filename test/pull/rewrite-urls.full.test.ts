import { describe, expect, test } from 'vitest'
import { makePull } from './pulls.ts'

const pull = await makePull()
const { source, target } = pull
const DOMAIN = 'https://files.example.cn'
const AT = { createdAt: '2020-09-01T00:00:00.000Z', updatedAt: '2020-09-01T00:00:00.000Z' }

async function upload(name: string) {
  const headers = { 'x-lc-id': source.appId, 'x-lc-key': source.appKey, 'content-type': 'application/octet-stream' }
  const reply = await fetch(`${source.url}/1.1/files/${name}`, { method: 'POST', headers, body: Buffer.from(name) })
  expect(reply.status).toBe(201)
  return (await reply.json()) as { objectId: string; url: string; name: string }
}

const master = async (app: typeof source, path: string, query: Record<string, string> = {}) =>
  (await app.request('GET', path, { master: true, query })).body

describe('URLs of files in texts', { timeout: 300_000 }, () => {
  test('are replaced by the URLs here, on request', async () => {
    const { url } = await upload('one.png')
    const key = url.split('/').at(-1)
    const old = `http://ac-old.clouddn.com/${key}`
    const elsewhere = 'http://ac-old.clouddn.com/nobody-knows.png'
    const text = `<img src="${url}?imageView/2/w/80"> ${old}，${elsewhere}`
    await pull.fill('Post', [
      { objectId: 'p1', cover: url, body: text, list: [{ url: old }, 7], n: 1, ACL: { '*': { read: true } }, ...AT },
      { objectId: 'p2', cover: elsewhere, body: 'nothing', ...AT },
    ])
    const made = await source.request('POST', '/1.2/rtm/conversations', { master: true, body: { m: ['ann', 'bob'] } })
    const path = `/1.2/rtm/conversations/${made.body.objectId}/messages`
    const message = JSON.stringify({ _lctype: -2, _lcfile: { url } }).replaceAll('/', '\\/')
    await source.request('POST', path, { master: true, body: { from_client: 'ann', message } })
    const fromSource = ['--files-from', `${source.url}/files/${source.appId}`, '--no-passwords']
    const post = async (id: string) => master(target, `/1.1/classes/Post/${id}`)

    const untold = await pull.run(...fromSource, '--rewrite-urls', 'all')
    expect([untold.code, untold.stderr]).toEqual([1, expect.stringContaining('files.domain')])
    await target.admin('PATCH', '/settings', { files: { domain: DOMAIN } })

    expect((await pull.run(...fromSource, '--rewrite-urls', 'Post.cover')).code).toBe(0)
    expect((await pull.report()).rewritten.counts).toEqual({ 'Post.cover': { changed: 1, urls: 1 } })
    const now = `${DOMAIN}/${key}`
    expect(await post('p1')).toMatchObject({ cover: now, body: text, updatedAt: AT.updatedAt })

    const { code, stdout } = await pull.run(
      ...fromSource,
      '--rewrite-urls',
      'all',
      '--old-domain',
      'ac-old.clouddn.com',
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining(` to ${DOMAIN}:`)])
    expect((await pull.report()).rewritten.counts).toEqual({
      Post: { changed: 1, urls: 3 },
      messages: { changed: 1, urls: 1 },
    })
    expect(await post('p1')).toMatchObject({
      cover: now,
      body: `<img src="${now}?imageView/2/w/80"> ${now}，${elsewhere}`,
      list: [{ url: now }, 7],
      n: 1,
      updatedAt: AT.updatedAt,
    })
    expect(await post('p2')).toMatchObject({ cover: elsewhere, body: 'nothing' })
    const [sent] = await master(target, path)
    expect(JSON.parse(sent.data)).toEqual({ _lctype: -2, _lcfile: { url: now } })

    const again = await pull.run(...fromSource, '--rewrite-urls', 'all', '--old-domain', 'ac-old.clouddn.com')
    expect(again.code).toBe(0)
    // Messages of the last minutes are copied again.
    expect((await pull.report()).rewritten.counts.Post).toBeUndefined()
    expect(await master(target, path)).toEqual([sent])
    const unknown = await pull.run(...fromSource, '--rewrite-urls', 'Post.nothing')
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("'nothing'")])
  })

  test('are searched page by page, each once', async () => {
    await target.sql(
      `INSERT INTO "$files" (key, blob, size, md5, mime_type, name) VALUES ('k.png', 'b', 1, '', '', '')`,
    )
    await target.sql(`
      INSERT INTO "$messages" (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt)
      SELECT 't' || n % 3, n, 'm' || n, 't', 'ann', 'http://cut.example.com/k.png ' || n, n % 100 = 0, FALSE, FALSE
      FROM generate_series(1, 4500) AS n`)
    const request = { of: 'messages', places: ['cut.example.com'] }
    const pages = []
    for (let after: string | null = null; pages.length < 9; ) {
      const { body } = await target.admin('POST', '/rewritten-urls', { ...request, after })
      pages.push(body)
      after = body.after
      if (after === null) break
    }
    expect(pages.map(({ changed }) => changed).reduce((a, b) => a + b)).toBe(4455)
    expect(pages.length).toBeLessThanOrEqual(3)
    const { rows } = await target.sql(
      `SELECT count(*)::int AS n FROM "$messages" WHERE content LIKE '${DOMAIN}/k.png %' AND NOT bin`,
    )
    expect(rows).toEqual([{ n: 4455 }])
  })
})
