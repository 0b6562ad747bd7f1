import { errors } from '../../errors.ts'
import type { Platform, PlatformData } from './platform.ts'
import { requestPlatformJson, withQuery } from './platform-request.ts'
import { refusals, unreachable } from './refusals.ts'
import { errcodeOf } from './tencent-errcode.ts'
import { sentText, textMember } from './text-members.ts'

export interface MiniProgramSettings {
  readonly appId: string
  readonly appSecret: string
  /** URL of the code exchange, if it is not the platform's own. */
  readonly endpoint?: string | undefined
}

/** Checks logins of QQ mini programs. */
export function lcQqapp(settings: MiniProgramSettings, timeout: number): Platform {
  return miniProgram('lc_qqapp', 'https://api.q.qq.com/sns/jscode2session', settings, timeout)
}

/** Checks logins of WeChat mini programs. */
export function lcWeapp(settings: MiniProgramSettings, timeout: number): Platform {
  return miniProgram('lc_weapp', 'https://api.weixin.qq.com/sns/jscode2session', settings, timeout)
}

/**
 * Checks logins of mini programs. A mini program sends the code of its login, which can be exchanged once for the id of
 * the user. An id sent next to the code must equal that id; an id without a code proves nothing.
 * @param name of the platform
 * @param exchange URL of the platform's code exchange
 */
function miniProgram(name: string, exchange: string, settings: MiniProgramSettings, timeout: number): Platform {
  return {
    async check(data) {
      const { appId: appid, appSecret: secret } = settings
      const query = { appid, secret, js_code: codeIn(name, data), grant_type: 'authorization_code' }
      const session = await requestPlatformJson(withQuery(settings.endpoint ?? exchange, query), timeout)
      const errcode = errcodeOf(session) ?? 0
      if (errcode !== 0) throw refusals.linkedSession(`The platform rejected the 'code' with errcode ${errcode}.`)

      const openId = textMember(session, 'openid')
      const sessionKey = textMember(session, 'session_key')
      if (openId === undefined || sessionKey === undefined) throw unreachable('response without openid or session_key')
      const unionId = textMember(session, 'unionid')
      checkSame(openId, sentText(name, data, 'openid'), "'openid'")
      checkSame(unionId, sentText(name, data, 'unionid'), "'unionid'")

      const { code: _, ...kept } = data
      const found = { ...kept, openid: openId, session_key: sessionKey }
      return unionId === undefined ? found : { ...found, unionid: unionId }
    },
  }
}

/**
 * Checks logins of mini programs in an app without settings for them: accepts an openid unverified, like the data of
 * any platform, but rejects a code, because it cannot be exchanged.
 */
export function miniProgramWithoutSettings(name: string): Platform {
  return {
    async check(data) {
      if (textMember(data, 'code') === undefined || textMember(data, 'openid') !== undefined) return data
      throw refusals.linkedSession(`The 'code' cannot be exchanged: the appId and appSecret of '${name}' are not set.`)
    },
  }
}

/** @throws ApiError 250, or 251 for an openid without a code */
function codeIn(name: string, data: PlatformData): string {
  const code = sentText(name, data, 'code')
  if (code !== undefined) return code
  if (sentText(name, data, 'openid') === undefined) throw errors.linkedIdMissing(name, 'code')
  throw refusals.linkedSession("An 'openid' cannot be verified; send the 'code' of the mini program's login instead.")
}

/** @throws ApiError 251 */
function checkSame(answered: string | undefined, sent: string | undefined, what: string): void {
  if (sent !== undefined && sent !== answered) throw refusals.linkedSession(`${what} does not match the 'code'.`)
}
