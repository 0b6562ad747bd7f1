import type { JsonObject } from '../../values/json.ts'

/**
 * Returns the intent that a tap on an HMS or Honor notification opens. It passes the custom keys to the app (protocol/push,
 * Vendor channels).
 */
export function clickIntent(host: string, custom: JsonObject): string {
  const content = encodeURIComponent(JSON.stringify(custom).toWellFormed())
  return `intent://${host}/notify_detail?S.content=${content}#Intent;scheme=lcpushscheme;launchFlags=0x10000000;end`
}

/** The activity that a tap on a vivo notification opens. vivo passes the custom keys automatically. */
export const VIVO_CLICK_INTENT =
  'intent://cn.leancloud.push/detail?#Intent;scheme=mixpushscheme;launchFlags=0x10000000;end'
