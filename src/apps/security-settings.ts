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
      .describe('Web origins that can call the API, such as `https://*.example.org`. Empty: all origins.'),
    masterKeyAddresses: z
      .array(range)
      .max(1000)
      .default([])
      .describe('Addresses from which the master key is accepted, such as `192.0.2.0/24`. Empty: all addresses.'),
    signatureMaxAge: z
      .int()
      .min(0)
      .default(0)
      .describe(
        'Maximum difference in seconds between `X-LC-Sign` and the server time. 0: no limit, because clocks of devices can be wrong.',
      ),
  })
  .prefault({})
