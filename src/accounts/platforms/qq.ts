import type { Platform } from './platform.ts'
import { requestPlatformJson, withQuery } from './platform-request.ts'
import type { PlatformSettings } from './platform-settings.ts'
import { refusals, unreachable } from './refusals.ts'
import { neededText, sentText, textMember } from './text-members.ts'

const ME = 'https://graph.qq.com/oauth2.0/me'

/** Asks QQ for the owner and the app of the access token, because a token issued to another app must not be accepted. */
export function qq(settings: NonNullable<PlatformSettings['qq']>, timeout: number): Platform {
  return {
    async check(data) {
      const openId = neededText('qq', data, 'openid')
      const unionId = sentText('qq', data, 'unionid')
      const query = { access_token: neededText('qq', data, 'access_token'), fmt: 'json' }

      // Requests the union id only if needed: it is an error for apps without the permission for it (100048).
      const url = withQuery(settings.endpoint ?? ME, unionId === undefined ? query : { ...query, unionid: '1' })
      const owner = await requestPlatformJson(url, timeout)
      const error = textMember(owner, 'error')
      if (error !== undefined) throw refusals.linkedSession(`QQ returned ${numberIn(error)}.`)
      if (textMember(owner, 'openid') === undefined) throw unreachable('response without openid')
      if (textMember(owner, 'openid') !== openId)
        throw refusals.linkedSession("'openid' does not match 'access_token'.")
      if (textMember(owner, 'client_id') !== settings.appId)
        throw refusals.linkedSession("'access_token' was issued to another app.")
      if (unionId !== undefined && textMember(owner, 'unionid') !== unionId)
        throw refusals.linkedSession("'unionid' does not match 'access_token'.")
      return data
    },
  }
}

function numberIn(error: string): string {
  return /^-?\d{1,10}$/.test(error) ? `error ${error}` : 'an error'
}
