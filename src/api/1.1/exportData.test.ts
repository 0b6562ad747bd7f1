import { expect, it, vi } from 'vitest'
import { makeApp } from '../../../test/support/app.ts'

const app = await makeApp()
const other = await makeApp()

async function finished(id: string) {
  return vi.waitFor(async () => {
    const { body } = await app.request('GET', `/1.1/exportData/${id}`, { master: true })
    expect(body.status).toBe('done')
    return body
  }, 10_000)
}

it('starts an export, reports its status until it is done, and serves the download without a key', async () => {
  await app.request('POST', '/1.1/classes/Post', { body: { title: 'x' } })
  const started = await app.request('POST', '/1.1/exportData', { master: true, body: { classes: 'Post' } })
  expect(started).toMatchObject({ status: 200, body: { status: 'running', app_id: app.appId } })
  const task = await finished(started.body.id)
  expect(Object.keys(task)).toEqual(['status', 'id', 'app_id', 'download_url'])
  expect(new URL(task.download_url).origin).toBe(new URL(app.url).origin)
  const download = await fetch(task.download_url)
  expect(download.headers.get('content-type')).toBe('application/gzip')
  expect(download.headers.get('content-disposition')).toBe(`attachment; filename="${task.id}.tar.gz"`)
  const bytes = Buffer.from(await download.arrayBuffer())
  expect(bytes).toHaveLength(Number(download.headers.get('content-length')))
  expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b])
  const wrong = await fetch(task.download_url.replace(/\/[^/]+(\/[^/]+)$/, '/guess$1'))
  expect(wrong.status).toBe(404)
  expect(await wrong.json()).toEqual({ code: 1, error: 'Download not found or expired.' })
})

it('requires the master key of the app that the export belongs to', async () => {
  const { body } = await app.request('POST', '/1.1/exportData', { master: true })
  for (const [method, path] of [
    ['POST', '/1.1/exportData'],
    ['GET', `/1.1/exportData/${body.id}`],
  ] as const) {
    expect(await app.request(method, path)).toMatchObject({ status: 401, body: { code: 401 } })
  }
  expect(await other.request('GET', `/1.1/exportData/${body.id}`, { master: true })).toMatchObject({ status: 404 })
})

it.each([
  [{ classes: 'Nowhere' }, 1],
  [{ from_date: 'soon' }, 1],
  [{ email: 'nobody' }, 125],
])('rejects %j with code %i', async (body, code) => {
  expect(await app.request('POST', '/1.1/exportData', { master: true, body })).toMatchObject({
    status: 400,
    body: { code },
  })
})
