import { z } from 'zod'
import { secret } from '../../settings-schema.ts'

const url = z
  .string()
  .refine(isPlainUrl, 'must be an http or https URL without user and password, such as https://example.org/check')
const text = z.string().min(1)

const miniProgram = z.strictObject({ appId: text, appSecret: secret(text), endpoint: url.optional() })

/**
 * The platforms that verify the authData of clients; data of other platforms is accepted unverified (protocol/storage,
 * Settings that change answers: Validate third-party access tokens). The URLs serve tests and proxies.
 */
export const platformSettings = z
  .strictObject({
    weixin: z
      .strictObject({ check: z.literal(true), endpoint: url.optional(), userInfoEndpoint: url.optional() })
      .optional(),
    qq: z.strictObject({ appId: text, endpoint: url.optional() }).optional(),
    weibo: z.strictObject({ appKey: text.optional(), endpoint: url.optional() }).optional(),
    lc_apple: z
      .strictObject({
        clientIds: z.array(text).min(1).describe('Bundle and service IDs for which Apple issues tokens.'),
        jwks: url.optional(),
        issuer: text.optional(),
      })
      .optional(),
    lc_weapp: miniProgram.optional(),
    lc_qqapp: miniProgram.optional(),
    endpoints: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be the name of a platform: letters, digits, _ and -'),
        z.strictObject({
          url,
          secret: secret(text).optional().describe('Signs each request, so that your server can verify its sender.'),
        }),
      )
      .prefault({})
      .describe(
        'By platform name: URL of your server that verifies logins. For the platforms above, it is called after their own check.',
      ),
  })
  .prefault({})
  .describe(
    'Platforms that verify the login data of clients. The data of all other platforms is stored without verification.',
  )

/** Settings of the checks, with the defaults filled in. */
export type PlatformSettings = z.infer<typeof platformSettings>

/**
 * Returns whether a value is an http or https URL without user and password: `fetch` rejects URLs with them, and they
 * would be secrets in a visible place.
 */
function isPlainUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
