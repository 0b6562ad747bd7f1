import {
  complain,
  deliver,
  newAccessToken,
  type Route,
  VENDOR_SETTINGS,
  type VendorCall,
  type VendorState,
} from './stand-in-vendors-state.ts'

/** Returns the routes of Push Kit of HMS, version 1. */
export function hmsRoutes(state: VendorState): Record<string, Route> {
  const { appId, appSecret } = VENDOR_SETTINGS.hms
  return {
    '/hms/oauth2/v3/token': tokenRoute(state, appId, appSecret),
    [`/v1/${appId}/messages:send`]: (call) => {
      if (!hasAccess(state, call)) return { code: '80200003', msg: 'OAuth token expired', requestId: '1' }
      const { message } = JSON.parse(call.body)
      const tokens: string[] = message?.token ?? []
      if (tokens.length === 0 || tokens.length > 1000) return { code: '80300010', msg: 'number of tokens' }
      const fault = faultOfHms(message)
      if (fault) return complain(state, fault, { code: '80100003', msg: fault })
      const illegal = deliver(state, tokens, message)
      if (illegal.length === tokens.length) return { code: '80300007', msg: 'All the tokens are invalid' }
      if (illegal.length === 0) return { code: '80000000', msg: 'Success', requestId: '1' }
      const success = tokens.length - illegal.length
      const msg = JSON.stringify({ success, failure: illegal.length, illegal_tokens: illegal })
      return { code: '80100000', msg, requestId: '1' }
    },
  }
}

function faultOfHms({ android, data }: Record<string, Record<string, unknown> | undefined>): string | null {
  const notification = android?.notification as Record<string, unknown> | undefined
  if (!notification) return typeof data === 'string' ? null : 'neither notification nor data'
  for (const name of ['title', 'body', 'click_action']) if (!notification[name]) return `notification without ${name}`
  const ttl = android?.ttl
  if (ttl !== undefined && !(typeof ttl === 'string' && /^\d{1,7}s$/.test(ttl))) return 'malformed ttl'
  return null
}

export function honorRoutes(state: VendorState): Record<string, Route> {
  const { appId, clientId, clientSecret } = VENDOR_SETTINGS.honor
  return {
    '/honor/auth/token': tokenRoute(state, clientId, clientSecret),
    [`/api/v1/${appId}/sendMessage`]: (call) => {
      if (!hasAccess(state, call)) return { code: 80200003, message: 'token expired' }
      if (!(Math.abs(Number(call.headers.timestamp) - Date.now()) < 60_000)) {
        return complain(state, 'no timestamp', { code: 80100003, message: 'timestamp' })
      }
      const message = JSON.parse(call.body)
      const notification = message.android?.notification
      if (!message.data && !(notification?.title && notification.body && notification.clickAction)) {
        return complain(state, 'incomplete notification', { code: 80100003, message: 'illegal payload' })
      }
      const expireTokens = deliver(state, message.token, message)
      return { code: 200, message: 'success', data: { sendResult: true, requestId: '1', failTokens: [], expireTokens } }
    },
  }
}

function tokenRoute(state: VendorState, id: string, secret: string): Route {
  return ({ body }) => {
    const fields = new URLSearchParams(body)
    const isRight = fields.get('client_id') === id && fields.get('client_secret') === secret
    if (fields.get('grant_type') !== 'client_credentials' || !isRight) {
      return { error: 'invalid_client', error_description: `invalid client ${fields.get('client_secret')}` }
    }
    return { access_token: newAccessToken(state), expires_in: 3600, token_type: 'Bearer' }
  }
}

function hasAccess(state: VendorState, { headers }: VendorCall): boolean {
  return state.accessTokens.has((headers.authorization ?? '').replace(/^Bearer /, ''))
}
