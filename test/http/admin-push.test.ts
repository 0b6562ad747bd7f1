import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/stand-in-certificate.ts'

const app = await makeApp()
await app.admin('PATCH', '/settings', {
  push: {
    mi: { _default: { appSecret: 'mi-secret', packageName: 'org.example', url: 'http://127.0.0.1:1' } },
    apns: { certificates: { _default: { certificate: CERTIFICATE, privateKey: CERTIFICATE_KEY } } },
  },
})

const install = async (fields: object) => {
  const { status, body } = await app.request('POST', '/1.1/installations', { body: fields })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.objectId as string
}
const token = (n: number) => ({ vendor: 'mi', registrationId: `registration ${n}` })
for (let n = 0; n < 3; n++)
  await install({ deviceType: 'android', installationId: `phone ${n}`, ...token(n), channels: ['news'] })
await install({
  deviceType: 'android',
  installationId: 'hms',
  vendor: 'HMS',
  registrationId: 'h',
  channels: ['alerts'],
})
await install({ deviceType: 'ios', deviceToken: 'ab'.repeat(32), level: 7 })

const push = async (body: object) => {
  const reply = await app.request('POST', '/1.1/push', { master: true, body: { data: { alert: 'Hi' }, ...body } })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.objectId as string
}

describe('results of pushes', () => {
  it('are grouped by channel and reason', async () => {
    const id = await push({ channels: ['alerts'] })
    await expect.poll(async () => (await app.admin('GET', `/pushes/${id}`)).body.status).toBe('error')
    expect((await app.admin('GET', `/pushes/${id}`)).body).toMatchObject({
      id,
      devices: 1,
      successes: {},
      failures: [{ channel: 'hms', reason: "there are no credentials for '_default'", count: 1 }],
      data: { alert: 'Hi' },
      target: { channels: { $in: ['alerts'] }, valid: true },
      environment: 'prod',
      pushAt: null,
    })
    expect((await app.admin('GET', '/pushes/nowhere')).status).toBe(404)
  })

  it('are listed newest first, page by page', async () => {
    const where = { level: 100 }
    const ids = [await push({ where }), await push({ where }), await push({ where })]
    const [newest] = (await app.admin('GET', '/pushes?limit=1')).body.pushes
    expect(newest.id).toBe(ids[2])
    const after = `afterTime=${encodeURIComponent(newest.createdAt)}&afterId=${newest.id}`
    const rest = (await app.admin('GET', `/pushes?limit=2&${after}`)).body.pushes
    expect(rest.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0]])
    expect((await app.admin('GET', '/pushes?afterTime=yesterday')).status).toBe(400)
  })
})

describe('the audience of a push', () => {
  const audience = (query: Record<string, unknown>) =>
    app.admin(
      'GET',
      `/pushes/audience?${new URLSearchParams(Object.fromEntries(Object.entries(query).map(([k, v]) => [k, JSON.stringify(v)])))}`,
    )

  it.each([
    [{}, { android: 4, ios: 1 }],
    [{ where: { deviceType: 'ios' } }, { ios: 1 }],
    [{ where: { level: { $gt: 5 } } }, { ios: 1 }],
    [{ channels: ['news'] }, { android: 3 }],
    [{ where: { deviceType: 'ios' }, channels: ['news'] }, {}],
  ])('%j', async (query, byType) => {
    const devices = Object.values(byType as Record<string, number>).reduce((total, count) => total + count, 0)
    expect((await audience(query)).body).toEqual({ devices, isMore: false, byType })
  })

  it('excludes inactive devices', async () => {
    const id = await install({ deviceType: 'android', installationId: 'old phone', ...token(9), channels: ['old'] })
    expect((await audience({ channels: ['old'] })).body.devices).toBe(1)
    await app.sql(`UPDATE "_Installation" SET updated_at = now() - interval '100 days' WHERE id = $1`, [id])
    expect((await audience({ channels: ['old'] })).body.devices).toBe(0)
  })

  it.each([{ where: { x: { $no: 1 } } }, { where: 7 }, { channels: [] }, { channels: 'a b' }])(
    'rejects %j',
    async (query) => {
      expect((await audience(query)).status).toBe(400)
    },
  )
})

describe('credentials', () => {
  it('are listed without secrets, with the expiry of certificates', async () => {
    const { body } = await app.admin('GET', '/push-credentials')
    expect(body.credentials).toEqual([
      { provider: 'apns', kind: 'certificate', name: '_default', validUntil: expect.any(Number) },
      { provider: 'mi', kind: 'account', name: '_default', validUntil: null },
    ])
    expect(JSON.stringify(body)).not.toMatch(/mi-secret|PRIVATE/)
  })

  it('are checked when configured', async () => {
    const check = (body: object) => app.admin('POST', '/push-credentials/check', body)
    const known = { provider: 'mi', kind: 'account', name: '_default' }
    expect((await check(known)).body).toEqual({ verdict: 'unreachable', reason: expect.any(String) })
    expect((await check({ ...known, name: 'other' })).status).toBe(404)
    for (const wrong of [{ ...known, provider: 'pigeon' }, { ...known, kind: 'x' }, { ...known, more: 1 }, {}])
      expect((await check(wrong)).status).toBe(400)
  })
})
