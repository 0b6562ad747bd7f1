import { createHash } from 'node:crypto'
import {
  complain,
  deliver,
  newAccessToken,
  type Route,
  VENDOR_SETTINGS,
  type VendorState,
} from './stand-in-vendors-state.ts'

interface OppoMessage {
  readonly target_type: number
  readonly target_value: string
  readonly notification: { readonly title: string; readonly content: string; readonly app_message_id: string }
}

/** Returns the routes of OPPO Push. Like OPPO it delivers a message with a repeated id once. */
export function oppoRoutes(state: VendorState): Record<string, Route> {
  const { appKey, masterSecret } = VENDOR_SETTINGS.oppo
  const seen = new Set<string>()
  return {
    '/server/v1/auth': ({ body }) => {
      const fields = new URLSearchParams(body)
      const timestamp = fields.get('timestamp') ?? ''
      const sign = createHash('sha256').update(appKey).update(timestamp).update(masterSecret).digest('hex')
      if (!(Math.abs(Number(timestamp) - Date.now()) < 60_000)) return { code: 19, message: 'Invalid Timestamp' }
      if (fields.get('app_key') !== appKey) return { code: 14, message: 'Invalid App Key' }
      if (fields.get('sign') !== sign) return { code: 16, message: 'Invalid Signature' }
      return { code: 0, message: 'Success', data: { auth_token: newAccessToken(state), create_time: Date.now() } }
    },
    '/server/v1/message/notification/unicast_batch': ({ body }) => {
      const fields = new URLSearchParams(body)
      if (!state.accessTokens.has(fields.get('auth_token') ?? '')) return { code: 11, message: 'Invalid AuthToken' }
      const messages: OppoMessage[] = JSON.parse(fields.get('messages') ?? '[]')
      const fault = messages.map(faultOf).find((found) => found !== null)
      if (messages.length === 0 || messages.length > 1000 || fault) {
        return complain(state, fault ?? 'number of messages', { code: 41, message: 'Invalid Arguments' })
      }
      const first = messages.filter(({ notification: { app_message_id: id } }) => !seen.has(id))
      const tokens = first.map(({ target_value: token }) => token)
      const invalid = new Set(deliver(state, tokens, messages[0]?.notification))
      for (const { target_value: token, notification } of first) {
        if (!invalid.has(token)) seen.add(notification.app_message_id)
      }
      const data = messages.map(({ target_value: registrationId }) => ({
        messageId: 'app-1-1-1',
        registrationId,
        ...(invalid.has(registrationId) && { errorCode: 10000, errorMessage: `Invalid ${registrationId}` }),
      }))
      return { code: 0, message: 'Success', data }
    },
  }
}

function faultOf({ target_type: type, notification }: OppoMessage): string | null {
  if (type !== 2) return 'target_type'
  const { title, content, app_message_id: id } = notification
  if (!title || title.length > 50 || !content || content.length > 128) return 'texts'
  return id ? null : 'no id'
}
