import { createHash } from 'node:crypto'
import { complain, deliver, type Route, VENDOR_SETTINGS, type VendorState } from './stand-in-vendors-state.ts'

/** Returns the routes of Flyme Push. */
export function meizuRoutes(state: VendorState): Record<string, Route> {
  const { appId, appSecret } = VENDOR_SETTINGS.mz
  return {
    '/garcia/api/server/push/varnished/pushByPushId': ({ body }) => {
      const refuse = (code: string, message: string) => ({ code, message, value: '', redirect: '' })
      const fields = new URLSearchParams(body)
      const sign = fields.get('sign')
      fields.delete('sign')
      fields.sort()
      let signed = ''
      for (const [name, value] of fields) signed += `${name}=${value}`
      if (
        sign !==
        createHash('md5')
          .update(signed + appSecret)
          .digest('hex')
      ) {
        return refuse('1006', `signature ${sign} is wrong`)
      }
      if (fields.get('appId') !== appId) return refuse('110000', 'appId')
      const message = JSON.parse(fields.get('messageJson') ?? 'null')
      const { title = '', content = '' } = message.noticeBarInfo ?? {}
      const hours = message.pushTimeInfo?.validTime
      const isShort = title.length <= 32 && content.length <= 100 && message.advanceInfo.notifyKey.length <= 8
      if (!title || !content || !isShort || !(hours >= 1 && hours <= 72)) {
        return complain(state, 'bad message', refuse('1005', 'parameter error'))
      }
      const invalid = deliver(state, fields.get('pushIds')?.split(',') ?? [], message)
      return { code: '200', message: '', msgId: '1', value: invalid.length > 0 ? { 110003: invalid } : {} }
    },
  }
}
