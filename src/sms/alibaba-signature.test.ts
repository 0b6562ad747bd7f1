import { expect, it } from 'vitest'
import { alibabaHeaders, canonicalQuery } from './alibaba-signature.ts'

it('signs the example of the documentation with the documented signature', () => {
  const query = canonicalQuery({
    RegionId: 'cn-shanghai',
    ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd',
  })
  const headers = alibabaHeaders(
    {
      host: 'ecs.cn-shanghai.aliyuncs.com',
      action: 'RunInstances',
      version: '2014-05-26',
      query,
      date: new Date('2023-10-26T10:22:32.789Z'),
      nonce: '3156853299f313e23d1673dc12e1703d',
    },
    'YourAccessKeyId',
    'YourAccessKeySecret',
  )
  expect(headers).toEqual({
    authorization:
      'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
    'x-acs-action': 'RunInstances',
    'x-acs-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-acs-date': '2023-10-26T10:22:32Z',
    'x-acs-signature-nonce': '3156853299f313e23d1673dc12e1703d',
    'x-acs-version': '2014-05-26',
  })
})

it('encodes everything in a query except letters, digits and - . _ ~', () => {
  expect(canonicalQuery({ b: "A9-._~ !'()*+/&=验\ud800", B: '', a: '"' })).toBe(
    'B=&a=%22&b=A9-._~%20%21%27%28%29%2A%2B%2F%26%3D%E9%AA%8C%EF%BF%BD',
  )
})
