import { expect, it } from 'vitest'
import { platformSettings } from './platform-settings.ts'

const url = 'https://example.org/check'

it('checks no platform without settings', () => {
  expect(platformSettings.parse(undefined)).toEqual({ endpoints: {} })
  expect(platformSettings.parse({})).toEqual({ endpoints: {} })
})

it.each([
  { weixin: { check: true } },
  { weixin: { check: true, endpoint: url, userInfoEndpoint: url } },
  { qq: { appId: '101', endpoint: url } },
  { weibo: {} },
  { weibo: { appKey: '1', endpoint: url } },
  { lc_apple: { clientIds: ['org.example.app'], jwks: 'http://127.0.0.1:8080/keys', issuer: 'https://example.org' } },
  { lc_weapp: { appId: 'wx1', appSecret: 's', endpoint: url }, lc_qqapp: { appId: '1', appSecret: 's' } },
  { endpoints: { 'my-school_2': { url, secret: 's' }, github: { url } } },
])('accepts %j', (settings) => {
  expect(platformSettings.parse(settings)).toEqual({ endpoints: {}, ...settings })
})

it.each([
  [{ wexin: { check: true } }, ''],
  [{ weixin: {} }, 'weixin.check'],
  [{ weixin: { check: false } }, 'weixin.check'],
  [{ weixin: { check: true, endpont: url } }, 'weixin'],
  [{ qq: {} }, 'qq.appId'],
  [{ qq: { appId: 101 } }, 'qq.appId'],
  [{ weibo: { appKey: '' } }, 'weibo.appKey'],
  [{ lc_apple: { clientIds: [] } }, 'lc_apple.clientIds'],
  [{ lc_apple: { clientIds: [''] } }, 'lc_apple.clientIds.0'],
  [{ lc_weapp: { appId: 'wx1' } }, 'lc_weapp.appSecret'],
  [{ lc_qqapp: { appId: '1', appSecret: '' } }, 'lc_qqapp.appSecret'],
  [{ endpoints: { school: {} } }, 'endpoints.school.url'],
  [{ endpoints: { school: { url: 'example.org' } } }, 'endpoints.school.url'],
  [{ endpoints: { school: { url: 'file:///etc/passwd' } } }, 'endpoints.school.url'],
  [{ endpoints: { school: { url: 'https://user:password@example.org' } } }, 'endpoints.school.url'],
  [{ endpoints: { school: { url, secret: '' } } }, 'endpoints.school.secret'],
  [{ endpoints: { 'a.b': { url } } }, 'endpoints.a.b'],
  [{ endpoints: { _weixin_unionid: { url } } }, 'endpoints._weixin_unionid'],
])('rejects %j at %s', (settings, path) => {
  const parsed = platformSettings.safeParse(settings)
  expect(parsed.error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
})
