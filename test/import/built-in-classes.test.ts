import { describe, expect, test, vi } from 'vitest'
import { listen, loadLiveSdk } from '../support/live-query.ts'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()
const { app } = target
const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }
const master = (method: string, path: string, body?: unknown) => app.request(method, path, { master: true, body })

async function imported(className: string, objects: readonly object[]) {
  return target.run(await target.file(`${className}.0.jsonl`, exportFile(className, objects)))
}

describe('built-in classes', { timeout: 120_000 }, () => {
  test('conversations keep their members and accept messages', async () => {
    const when = { __type: 'Date', iso: '2021-03-04T05:06:07.001Z' }
    const { code } = await imported('_Conversation', [
      {
        objectId: 'c1',
        ...times,
        m: ['ann', 'bob'],
        mu: ['bob'],
        c: 'ann',
        lm: when,
        unique: true,
        uniqueId: 'of the service',
        attr: { x: 1 },
      },
      { objectId: 'c2', ...times, tr: true, name: 'room' },
      { objectId: 'c3', ...times, sys: true },
    ])
    expect(code).toBe(0)
    const made = await master('POST', '/1.2/rtm/conversations', { name: 'again', m: ['bob', 'ann'], unique: true })
    expect(made.body.objectId).toBe('c1')
    const sent = await master('POST', '/1.2/rtm/conversations/c1/messages', { from_client: 'ann', message: 'hello' })
    expect(sent.status).toBe(200)
    const all = (await master('GET', '/1.2/rtm/all-conversations')).body.results
    expect(all.find(({ objectId }: { objectId: string }) => objectId === 'c1')).toMatchObject({
      m: ['ann', 'bob'],
      mu: ['bob'],
    })
    const info = await imported('_ConversationMemberInfo', [
      { objectId: 'i1', ...times, cid: 'c1', clientId: 'bob', role: 'Manager' },
    ])
    expect(info.code).toBe(0)
  })

  test('a device saves itself as its imported record', async () => {
    const device = {
      installationId: 'device-1',
      deviceType: 'ios',
      deviceToken: 'a1'.repeat(32),
      channels: ['news'],
      valid: true,
      badge: 3,
    }
    expect((await imported('_Installation', [{ objectId: 'd1', ...times, ...device }])).code).toBe(0)
    const saved = await app.request('POST', '/1.1/installations', {
      body: { installationId: 'device-1', deviceType: 'ios' },
    })
    expect(saved.body.objectId).toBe('d1')
    expect((await imported('_Installation', [{ objectId: 'd2', ...device, installationId: 'device-2' }])).code).toBe(3)
    expect((await target.rejected())[0].reason).toBe('An installation with this deviceToken already exists.')
  })

  test('file records keep their key, with or without a URL', async () => {
    const file = {
      objectId: 'f1',
      ...times,
      key: 'abc.png',
      name: 'a.png',
      mime_type: 'image/png',
      bucket: 'b',
      provider: 'qiniu',
      metaData: { size: 3 },
    }
    expect(
      (await imported('_File', [file, { objectId: 'f2', name: 'x', url: 'https://files.example.org/x' }])).code,
    ).toBe(0)
    const stored = (await master('GET', '/1.1/scan/classes/_File')).body.results
    expect(stored[0]).toMatchObject(file)
  })

  test('reports invalid classes and imports the others', async () => {
    await target.file('odd/_Product.0.jsonl', exportFile('_Product', [{ objectId: 'p1' }]))
    expect((await target.run('--dry-run', `${target.folder}/odd`)).code).toBe(3)
    await target.file('odd/Even.0.jsonl', exportFile('Even', [{ objectId: 'e1' }]))
    const { code, stdout } = await target.run(`${target.folder}/odd`)
    expect([code, stdout]).toEqual([3, expect.stringContaining('_Product')])
    expect((await target.report()).counts.Even.created).toBe(1)
  })

  test('an import sends no live query events', async () => {
    await app.request('POST', '/1.1/classes/Heard', { body: { n: 0 } })
    const live = await new (loadLiveSdk(app).Query)('Heard').subscribe()
    const heard = listen(live)
    expect((await imported('Heard', [{ objectId: 'h1', n: 1 }])).code).toBe(0)
    await app.request('POST', '/1.1/classes/Heard', { body: { n: 2 } })
    await vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: 60_000 })
    await live.unsubscribe()
    expect((await app.request('GET', '/1.1/classes/Heard/h1')).body.n).toBe(1)
  })
})
