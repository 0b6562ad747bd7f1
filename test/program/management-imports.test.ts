import { describe, expect, inject, test } from 'vitest'
import { call, makeApp } from '../support/app.ts'

const app = await makeApp()
const id = 'a1'.repeat(32)
const of = { kind: 'objects', className: 'Post' }
const batch = (from: number, to: number, items: readonly object[], more: object = {}) => ({
  of,
  file: 'Post.jsonl',
  from: { entry: 0, record: from },
  to: { entry: 0, record: to },
  items: items.map((item, index) => ({ at: from + index + 1, text: JSON.stringify(item) })),
  onConflict: 'skip',
  dryRun: false,
  ...more,
})
const send = (body: object, importId = id) => app.admin('POST', `/imports/${importId}/batches`, body)
const count = async () =>
  (await app.request('GET', '/1.1/classes/Post', { query: { count: '1', limit: '0' } })).body.count

describe('imports over the management API', () => {
  test('writes a batch once, at the position of the import', async () => {
    expect((await send(batch(0, 1, [{ n: 1 }]))).status).toBe(404)
    const begun = await app.admin('PUT', `/imports/${id}`, { source: 'Post.jsonl' })
    expect(begun.body).toMatchObject({ place: { entry: 0, record: 0 }, isDone: false })
    const written = await send(batch(0, 2, [{ n: 1 }, { n: 'x' }]))
    expect(written.body).toMatchObject({ place: { record: 2 }, counts: { read: 2, created: 1, rejected: 1 } })
    expect((await send(batch(0, 2, [{ n: 1 }, { n: 'x' }]))).body).toEqual({
      misplaced: true,
      place: { entry: 0, record: 2 },
    })
    expect((await send(batch(3, 4, [{ n: 2 }]))).body.misplaced).toBe(true)
    expect(await count()).toBe(1)
    const at = await Promise.all([send(batch(2, 3, [{ n: 2 }])), send(batch(2, 3, [{ n: 2 }]))])
    expect(at.map(({ body }) => 'misplaced' in body).sort()).toEqual([false, true])
    expect(await count()).toBe(2)
    await app.admin('POST', `/imports/${id}/end`, {})
    const { body } = await app.admin('GET', '/imports')
    expect(body.imports).toEqual([
      {
        id,
        source: 'Post.jsonl',
        place: { entry: 0, record: 3 },
        mark: null,
        isDone: true,
        counts: { Post: { read: 3, created: 2, updated: 0, existing: 0, rejected: 1 } },
        notes: {},
      },
    ])
    const page = (await app.admin('GET', `/imports/${id}/rejected`)).body
    expect(page.rejected).toMatchObject([{ className: 'Post', field: null, place: 'Post.jsonl:2', text: '{"n":"x"}' }])
    expect(page.rejected[0].reason).toEqual({
      code: 'fieldTypeMismatch',
      field: 'n',
      expected: '{:type "Number"}',
      given: '{:type "String"}',
    })
    expect((await app.admin('GET', `/imports/${id}/rejected?after=${page.last}`)).body.rejected).toEqual([])
  })

  test('stores and aggregates notices and reasons as codes with values', async () => {
    const importId = 'b2'.repeat(32)
    await app.admin('PUT', `/imports/${importId}`, { source: 'Post.jsonl' })
    const lossy = { code: 'roundedNumber' }
    const cut = { code: 'at', where: 'a: b', what: { code: 'lineTooLong', bytes: 20_000_000 } }
    const items = [
      { at: 1, text: '{"n":1,"ACL":{}}', notes: [lossy] },
      { at: 2, text: '{"n":2,"ACL":{}}' },
      { at: 3, text: 'too long', reason: cut },
    ]
    expect((await send({ ...batch(0, 3, []), items }, importId)).status).toBe(200)
    const { notes } = (await app.admin('GET', `/imports/${importId}`)).body
    expect(Object.values(notes)).toEqual([
      { notice: { code: 'at', where: 'Post', what: lossy }, count: 1, examples: ['Post.jsonl:1'] },
      {
        notice: { code: 'at', where: 'Post', what: { code: 'emptyAcl' } },
        count: 2,
        examples: ['Post.jsonl:1', 'Post.jsonl:2'],
      },
    ])
    expect(Object.keys(notes)[0]).toBe('Post: number beyond 2^53, rounded')
    const { rejected } = (await app.admin('GET', `/imports/${importId}/rejected`)).body
    expect(rejected).toMatchObject([{ place: 'Post.jsonl:3', reason: cut, text: 'too long' }])
  })

  test('shows notices stored by earlier versions as their English text', async () => {
    const importId = 'c3'.repeat(32)
    await app.admin('PUT', `/imports/${importId}`, { source: 'Post.jsonl' })
    const stored = { 'Post: an empty ACL': { count: 2, examples: ['Post.jsonl:1'] } }
    await app.sql('UPDATE "$imports" SET notes = $1 WHERE id = $2', [JSON.stringify(stored), importId])
    await app.sql(
      `INSERT INTO "$import_rejected" (import_id, class_name, place, reason, content)
       VALUES ($1, 'Post', 'Post.jsonl:1', 'The line is no JSON.', '{')`,
      [importId],
    )
    const { notes } = (await app.admin('GET', `/imports/${importId}`)).body
    const text = 'Post: an empty ACL'
    expect(notes).toEqual({ [text]: { notice: { code: 'text', text }, count: 2, examples: ['Post.jsonl:1'] } })
    const { rejected } = (await app.admin('GET', `/imports/${importId}/rejected`)).body
    expect(rejected).toMatchObject([{ reason: { code: 'text', text: 'The line is no JSON.' } }])
  })

  test('includes the notice of an error for clients that prefer it', async () => {
    const change = (headers: Record<string, string>) =>
      call(
        app.url,
        'PATCH',
        `/admin/apps/${app.appId}/classes/Post`,
        { authorization: `Bearer ${inject('adminToken')}`, 'content-type': 'application/json', ...headers },
        { fields: { n: { userPrivate: true } } },
      )
    const body = { code: 1, error: "fields.n.userPrivate: only fields of '_User' can be private to a user." }
    expect((await change({})).body).toEqual(body)
    const notice = { code: 'userPrivateOutsideUsers', field: 'n' }
    expect((await change({ prefer: 'notices' })).body).toEqual({ ...body, notice })
  })

  test('a restarted import resets its position', async () => {
    const again = await app.admin('PUT', `/imports/${id}`, { source: 'Post.jsonl', again: true })
    expect(again.body).toMatchObject({ place: { entry: 0, record: 0 }, isDone: false, counts: {} })
    expect((await app.admin('GET', `/imports/${id}/rejected`)).body.rejected).toEqual([])
  })

  test.each([
    ['an id that is none', () => send(batch(0, 1, []), 'x'), '64 hexadecimal digits'],
    [
      'a class that is none',
      () => send(batch(0, 1, [], { of: { kind: 'objects', className: 'no class' } })),
      'of.className',
    ],
    ['an unknown way', () => send(batch(0, 1, [], { onConflict: 'merge' })), 'onConflict'],
    ['a member too many', () => send({ ...batch(0, 1, []), more: 1 }), 'more'],
    ['a place that is none', () => send({ ...batch(0, 1, []), from: { entry: -1, record: 0 } }), 'from.entry'],
    ['too many items', () => send(batch(0, 1, Array(10_001).fill({}))), 'items'],
    [
      'a note that is no notice',
      () => send({ ...batch(0, 1, []), items: [{ at: 1, text: '{}', notes: ['x'] }] }),
      'notes',
    ],
    [
      'a reason that is too long',
      () =>
        send({ ...batch(0, 1, []), items: [{ at: 1, text: '{}', reason: { code: 'text', text: 'x'.repeat(5000) } }] }),
      'reason',
    ],
    ['no number', () => app.admin('GET', `/imports/${id}/rejected?after=x`), "'after'"],
  ])('rejects %s by its name', async (_what, ask, name) => {
    const { status, body } = await ask()
    expect([status, body.error]).toEqual([400, expect.stringContaining(name)])
  })
})
