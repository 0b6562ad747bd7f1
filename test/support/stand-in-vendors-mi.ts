import { complain, deliver, type Route, VENDOR_SETTINGS, type VendorState } from './stand-in-vendors-state.ts'

/** Returns the routes of Mi Push, version 3. */
export function miRoutes(state: VendorState): Record<string, Route> {
  const { appSecret, packageName } = VENDOR_SETTINGS.mi
  return {
    '/v3/message/regid': ({ headers, body }) => {
      const refuse = (code: number, reason: string) => ({ result: 'error', reason, code, description: '发送消息失败' })
      if (headers.authorization !== `key=${appSecret}`) return refuse(21301, `auth failed: ${headers.authorization}`)
      const fields = Object.fromEntries(new URLSearchParams(body))
      const { title = '', description = '', pass_through: passThrough, payload = '' } = fields
      if (fields.restricted_package_name !== packageName) return refuse(22022, 'invalid package name')
      const isShown = passThrough === '0'
      const isValid = isShown ? title.length < 50 && description.length < 128 && title.trim() : passThrough === '1'
      if (!isValid || !payload) return complain(state, 'bad message', refuse(10017, 'parameter error'))
      const tokens = fields.registration_id?.split(',') ?? []
      const bad = deliver(state, tokens, fields)
      if (bad.length === tokens.length) return refuse(20301, 'No valid targets!')
      const data = { id: 'slm1', ...(bad.length > 0 && { bad_regids: bad.join(',') }) }
      return { result: 'ok', trace_id: 'Xlm1', code: 0, data, description: '成功', info: 'Received push messages' }
    },
  }
}
