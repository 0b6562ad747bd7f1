import { member } from '../../values/json.ts'
import { reasonOf } from './vendor-reason.ts'
import { formRequest, isFailure, refused, requestVendor } from './vendor-request.ts'
import { type VendorToken, vendorToken } from './vendor-token.ts'

export interface ClientCredentials {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Default lifetime in milliseconds when the vendor omits it. Both vendors issue tokens for an hour. */
const USUAL_LIFETIME = 60 * 60 * 1000

/** Returns access tokens by OAuth 2.0 client credentials, as Huawei and Honor issue them. */
export function oauthToken({ tokenUrl, clientId, clientSecret }: ClientCredentials, closed: AbortSignal): VendorToken {
  const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  return vendorToken(async () => {
    const answer = await requestVendor(formRequest(tokenUrl, fields), closed)
    if (isFailure(answer)) return answer
    const { status, content } = answer
    const value = member(content, 'access_token')
    if (typeof value !== 'string' || value === '') {
      const text = member(content, 'error_description') ?? member(content, 'message')
      const code = member(content, 'error') ?? member(content, 'code') ?? `HTTP status ${status}`
      return refused(`no access token: ${reasonOf(code, text, [clientSecret])}`)
    }
    const seconds = Number(member(content, 'expires_in'))
    return { value, lifetime: seconds > 0 ? seconds * 1000 : USUAL_LIFETIME }
  })
}
