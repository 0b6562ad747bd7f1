import { createHash } from 'node:crypto'
import {
  complain,
  deliver,
  newAccessToken,
  type Route,
  VENDOR_SETTINGS,
  type VendorCall,
  type VendorState,
} from './stand-in-vendors-state.ts'

const ALLOWED = { result: 0, desc: '请求成功' }
const NO_ACCESS = { result: 10000, desc: '权限认证失败' }

/** Returns the routes of vivo Push. */
export function vivoRoutes(state: VendorState): Record<string, Route> {
  const { appId, appKey, appSecret } = VENDOR_SETTINGS.vivo
  const saved = new Map<string, Record<string, unknown>>()
  const hasAccess = ({ headers }: VendorCall) => state.accessTokens.has(String(headers.authtoken))
  const users = (tokens: readonly string[]) => tokens.map((userid) => ({ userid, status: 1 }))
  return {
    '/message/auth': ({ body }) => {
      const { timestamp, sign, ...ids } = JSON.parse(body)
      const right = createHash('md5').update([appId, appKey, timestamp, appSecret].join('')).digest('hex')
      if (ids.appId !== appId || ids.appKey !== appKey || sign !== right) {
        return { result: 10158, desc: `sign ${sign} is wrong` }
      }
      return { ...ALLOWED, authToken: newAccessToken(state) }
    },
    '/message/send': (call) => {
      if (!hasAccess(call)) return NO_ACCESS
      const { regId, ...message } = JSON.parse(call.body)
      const fault = faultOf(message)
      if (fault) return complain(state, fault, { result: 10056, desc: fault })
      const invalid = deliver(state, [regId], message)
      if (invalid.length > 0) return { result: 10302, desc: `regId ${regId} 不合法` }
      return { ...ALLOWED, taskId: '1' }
    },
    '/message/saveListPayload': (call) => {
      if (!hasAccess(call)) return NO_ACCESS
      const message = JSON.parse(call.body)
      const fault = faultOf(message)
      if (fault) return complain(state, fault, { result: 10056, desc: fault })
      const taskId = String(saved.size + 1)
      saved.set(taskId, message)
      return { ...ALLOWED, taskId }
    },
    '/message/pushToList': (call) => {
      if (!hasAccess(call)) return NO_ACCESS
      const { regIds, taskId, requestId } = JSON.parse(call.body)
      if (!saved.has(taskId)) return { result: 10209, desc: 'taskId' }
      if (!requestId || regIds.length < 2 || regIds.length > 1000) {
        return complain(state, 'bad list', { result: 10204, desc: 'regIds' })
      }
      return { ...ALLOWED, invalidUsers: users(deliver(state, regIds, { ...saved.get(taskId), taskId })) }
    },
  }
}

function faultOf({ title, content, requestId, skipType, timeToLive }: Record<string, unknown>): string | null {
  if (width(title) > 40 || width(title) === 0) return 'title'
  if (width(content) > 100 || width(content) === 0) return 'content'
  if (typeof requestId !== 'string' || requestId.length > 64 || skipType === undefined) return 'incomplete'
  return timeToLive === undefined || (Number(timeToLive) >= 900 && Number(timeToLive) <= 604_800) ? null : 'timeToLive'
}

function width(text: unknown): number {
  return String(text ?? '').replace(/[^\p{ASCII}]/gu, '--').length
}
