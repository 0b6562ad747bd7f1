import { z } from 'zod'
import { isProxyRange } from '../proxies.ts'
import { isWebOriginPattern } from './web-origins.ts'

const origin = z
  .string()
  .refine(isWebOriginPattern, 'must be an origin such as https://example.org or https://*.example.org, without a path')
const range = z.string().refine(isProxyRange, 'must be an address or a range such as 192.0.2.0/24, or loopback')

/** Restrictions of requests in addition to keys. All are off by default. */
export const securitySettings = z
  .strictObject({
    webOrigins: z
      .array(origin)
      .max(1000)
      .default([])
      .describe('Pages of other origins are refused, such as `https://*.example.org`; none: all may ask.'),
    masterKeyAddresses: z
      .array(range)
      .max(1000)
      .default([])
      .describe('It counts from there only, such as `192.0.2.0/24`; none: from everywhere.'),
    signatureMaxAge: z
      .int()
      .min(0)
      .default(0)
      .describe(
        'Seconds that `X-LC-Sign` may be away from the time of the server; 0: any, because the clocks of devices are wrong.',
      ),
  })
  .prefault({})
