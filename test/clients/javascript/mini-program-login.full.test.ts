import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { fileOf, miniProgramEnvironment } from './environment.ts'
import { STORAGE_VERSIONS } from './storage-versions.ts'

/** A stand-in for WeChat's code exchange: every code belongs to one user. */
const requested: (string | null)[] = []
const weixin = createServer(({ url = '' }, response) => {
  requested.push(new URL(url, 'http://weixin').searchParams.get('js_code'))
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ openid: 'open-1', session_key: 'a key', unionid: 'union-1' }))
}).listen(0, '127.0.0.1')
await once(weixin, 'listening')
afterAll(() => weixin.close())
const endpoint = `http://127.0.0.1:${(weixin.address() as AddressInfo).port}/sns/jscode2session`

const versions = STORAGE_VERSIONS.filter(({ miniProgram }) => miniProgram !== null)

it.each(versions.map((one) => [one.version, one] as const))(
  'leancloud-storage %s logs in with a platform code',
  async (_, { name, miniProgram, init }) => {
    const app = await makeApp()
    const lc_weapp = { appId: 'wx1', appSecret: 'secret', endpoint }
    await app.admin('PATCH', '/settings', { accounts: { platforms: { lc_weapp } } })
    const { url, appId, appKey } = app
    const environment = miniProgramEnvironment(fileOf(name, miniProgram!))
    await environment.run(init, { url, appId, appKey })
    requested.length = 0
    const results = await environment.run(async (AV) => {
      const first = await AV.User.loginWithWeapp()
      await AV.User.logOut()
      const again = await AV.User.loginWithWeapp()
      return [again.id === first.id, AV.User.current().id === first.id, again.getSessionToken().length]
    }, {})
    expect(results).toEqual([true, true, 25])
    expect(requested).toEqual(['a code of the platform', 'a code of the platform'])
  },
)
