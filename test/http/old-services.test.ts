import { jwtVerify } from 'jose'
import AV from 'leancloud-storage'
import { expect, it } from 'vitest'
import { makeSdkApp } from '../support/sdk.ts'

const app = await makeSdkApp()

interface OfflineAnalysis {
  startJob(job: object, options: object): Promise<unknown>
  JobQuery: new (id: string) => { find(options: object): Promise<unknown> }
}
/** Missing in its type declarations. */
const { Insight } = AV as unknown as { Insight: OfflineAnalysis }

it.each(['/1.1/stats/collect', '/1.1/stats/open/collect'])(
  'POST %s accepts statistics and drops them',
  async (path) => {
    const body = { client: { platform: 'web' }, events: [{ event: 'view' }] }
    expect(await app.request('POST', path, { body })).toMatchObject({ status: 200, body: {} })
  },
)

it('tells legacy SDKs to send no statistics', async () => {
  expect(await app.request('GET', `/1.1/statistics/apps/${app.appId}/sendPolicy`)).toMatchObject({
    status: 200,
    body: { enable: false, policy: 1, parameters: {} },
  })
})

it('reports that offline analysis is not available', async () => {
  const refused = { code: 1, message: expect.stringContaining('bigquery') }
  await expect(Insight.startJob({ sql: 'select * from Post' }, { useMasterKey: true })).rejects.toMatchObject(refused)
  await expect(new Insight.JobQuery('some id').find({ useMasterKey: true })).rejects.toMatchObject(refused)
})

it("an identity token identifies the user to the app's back end for an hour", async () => {
  const { id, session } = await app.makeUser('tap')
  const path = '/storage/1.1/users/tap-support/identity'
  const { status, body } = await app.request('GET', path, { session })
  expect(status).toBe(200)
  const { payload } = await jwtVerify(body.identityToken, new TextEncoder().encode(app.masterKey), {
    audience: app.appId,
    algorithms: ['HS256'],
  })
  expect(payload.sub).toBe(id)
  expect(payload.exp! - payload.iat!).toBe(3600)
  expect(await app.request('GET', path)).toMatchObject({ status: 403, body: { code: 206 } })
})
