import type { JsonObject } from '../../values/json.ts'
import type { Platform } from './platform.ts'
import { requestPlatformJson, withQuery } from './platform-request.ts'
import type { PlatformSettings } from './platform-settings.ts'
import { refusals, unreachable } from './refusals.ts'
import { errcodeOf } from './tencent-errcode.ts'
import { neededText, sentText, textMember } from './text-members.ts'

const AUTH = 'https://api.weixin.qq.com/sns/auth'
const USER_INFO = 'https://api.weixin.qq.com/sns/userinfo'

/**
 * Asks Weixin whether the access token belongs to the openid. The app of the token need not be checked, because an
 * openid is valid in one app only.
 *
 * A union id is the same in all apps and decides which user logs in (protocol/accounts, authData), so a union id that
 * is sent is checked, too. Weixin returns it for tokens of the scopes `snsapi_login` and `snsapi_userinfo`.
 */
export function weixin(settings: NonNullable<PlatformSettings['weixin']>, timeout: number): Platform {
  return {
    async check(data) {
      const session = {
        access_token: neededText('weixin', data, 'access_token'),
        openid: neededText('weixin', data, 'openid'),
      }
      const unionId = sentText('weixin', data, 'unionid')

      const response = await requestWeixin(withQuery(settings.endpoint ?? AUTH, session), timeout)
      if (errcodeOf(response) === undefined) throw unreachable('response without errcode')
      if (unionId === undefined) return data

      const user = await requestWeixin(withQuery(settings.userInfoEndpoint ?? USER_INFO, session), timeout)
      if (textMember(user, 'openid') !== session.openid || textMember(user, 'unionid') !== unionId)
        throw refusals.weixinSession("'unionid' does not match 'openid'.")
      return data
    },
  }
}

/** @throws ApiError 252, or 511 when Weixin is temporarily unavailable */
async function requestWeixin(url: URL, timeout: number): Promise<JsonObject> {
  const answer = await requestPlatformJson(url, timeout)
  const code = errcodeOf(answer) ?? 0
  if (code !== 0) throw refusals.weixinSession(`Weixin returned error ${code}.`)
  return answer
}
