import { type JsonObject, member } from '../../values/json.ts'
import type { Platform } from './platform.ts'
import { requestPlatformJson } from './platform-request.ts'
import type { PlatformSettings } from './platform-settings.ts'
import { refusals, unreachable } from './refusals.ts'
import { neededText, sentText, textMember } from './text-members.ts'

const TOKEN_INFO = 'https://api.weibo.com/oauth2/get_token_info'
const FORM = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }

/** Internal errors of Weibo, rate limits, and `temporarily_unavailable`: not errors of the client. */
const BUSY = [10001, 10002, 10003, 10009, 10010, 10011, 10022, 10023, 10024, 21331]

/** Asks Weibo for the owner, the app and the remaining seconds of the access token. Weibo has no union ids. */
export function weibo(settings: NonNullable<PlatformSettings['weibo']>, timeout: number): Platform {
  return {
    async check(data) {
      const uid = neededText('weibo', data, 'uid')
      const form = new URLSearchParams({ access_token: neededText('weibo', data, 'access_token') })
      if (sentText('weibo', data, 'unionid') !== undefined)
        throw refusals.weiboSession("Weibo cannot verify a 'unionid'; omit it.")

      const url = new URL(settings.endpoint ?? TOKEN_INFO)
      const token = await requestPlatformJson(url, timeout, { method: 'POST', headers: FORM, body: form.toString() })
      checkErrorCode(token)
      if (textMember(token, 'uid') === undefined) throw unreachable('response without uid')
      if (textMember(token, 'uid') !== uid) throw refusals.weiboSession("'uid' does not match 'access_token'.")
      if (settings.appKey !== undefined && textMember(token, 'appkey') !== settings.appKey)
        throw refusals.weiboSession("'access_token' was issued to another app.")
      if (Number(textMember(token, 'expire_in') ?? 1) <= 0) throw refusals.weiboSession("'access_token' has expired.")
      return data
    },
  }
}

function checkErrorCode(answer: JsonObject): void {
  const code = member(answer, 'error_code')
  if (typeof code !== 'number') return
  if (BUSY.includes(code)) throw unreachable(`error_code ${code}`)
  throw refusals.weiboSession(`Weibo returned error ${code}.`)
}
