import { describe, expect, test } from 'vitest'
import { makePull } from './pulls.ts'

const pull = await makePull()
const { source, target } = pull
const fromSource = ['--files-from', `${source.url}/files/${source.appId}`]

async function upload(name: string, content: Buffer) {
  const headers = { 'x-lc-id': source.appId, 'x-lc-key': source.appKey, 'content-type': 'application/octet-stream' }
  const reply = await fetch(`${source.url}/1.1/files/${name}`, { method: 'POST', headers, body: content })
  expect(reply.status).toBe(201)
  return (await reply.json()) as { objectId: string; url: string }
}

const record = async (id: string) => (await target.request('GET', `/1.1/files/${id}`, { master: true })).body
const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer())

describe('the bytes of files', { timeout: 120_000 }, () => {
  test('are copied with their records and keys, and served here; external files keep their URLs', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024, 'homeport ')
    const one = await upload('one.txt', Buffer.from('the first'))
    const two = await upload('two.bin', large)
    const elsewhere = { name: 'x.png', url: 'https://files.example.org/x.png', metaData: { __source: 'external' } }
    const external = (await source.request('POST', '/1.1/files', { body: elsewhere })).body
    const { code, stdout } = await pull.run(...fromSource)
    expect([code, stdout]).toEqual([0, expect.stringContaining('passwords')])
    const shown = await record(one.objectId)
    expect(shown.url).toContain(`/files/${target.appId}/`)
    expect((await bytesAt(shown.url)).toString()).toBe('the first')
    expect((await bytesAt((await record(two.objectId)).url)).equals(large)).toBe(true)
    expect((await record(external.objectId)).url).toBe(elsewhere.url)
    expect((await pull.report()).counts['bytes of files']).toMatchObject({ read: 2, created: 2, rejected: 0 })
    const { rows } = await target.sql(`SELECT count(*)::int AS n FROM "_File" WHERE data ? 'url'`)
    expect(rows).toEqual([{ n: 1 }])
  })

  test('that differ or are unavailable are reported, and copied by a later pull', async () => {
    const content = Buffer.from('the fourth')
    const four = await upload('four.txt', content)
    const { rows } = await source.sql(`SELECT data->>'key' AS key FROM "_File" WHERE id = $1`, [four.objectId])
    await source.sql(`UPDATE "_File" SET data = jsonb_set(data, '{metaData,_checksum}', $2) WHERE id = $1`, [
      four.objectId,
      JSON.stringify('0'.repeat(32)),
    ])
    const broken = await pull.run(...fromSource)
    expect([broken.code, broken.stdout]).toEqual([3, expect.stringContaining('1 record was rejected')])
    expect((await target.sql('SELECT key FROM "$files"')).rows).not.toContainEqual({ key: rows[0].key })
    await source.sql(`UPDATE "_File" SET data = data #- '{metaData,_checksum}' WHERE id = $1`, [four.objectId])
    expect((await pull.run(...fromSource)).code).toBe(0)
    expect((await bytesAt((await record(four.objectId)).url)).equals(content)).toBe(true)
    expect((await pull.report()).counts['bytes of files']).toMatchObject({ read: 3, created: 1, existing: 2 })
  })

  test('are not requested from private addresses named only in a record', async () => {
    await pull.fill('_File', [
      { objectId: 'inside', key: 'inside.txt', name: 'x', url: 'http://127.0.0.1:1/inside', metaData: { size: 3 } },
      { objectId: 'up', key: '../../up.txt', name: 'x', url: `${source.url}/up`, metaData: { size: 3 } },
    ])
    const { code } = await pull.runApart()
    expect(code).toBe(3)
    const { counts } = await pull.report()
    expect(counts['bytes of files']).toMatchObject({ rejected: 2 })
    expect(await pull.rejected()).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('private address') }),
      expect.objectContaining({ reason: expect.stringContaining('private address') }),
    ])
  })
})
