import type { JsonObject } from '../../values/json.ts'

/**
 * The intent that a click on a notification of HMS or Honor opens; it carries the custom keys to the app
 * (protocol/push, Vendor channels).
 */
export function clickIntent(host: string, custom: JsonObject): string {
  const content = encodeURIComponent(JSON.stringify(custom).toWellFormed())
  return `intent://${host}/notify_detail?S.content=${content}#Intent;scheme=lcpushscheme;launchFlags=0x10000000;end`
}

/** The activity that a click on a notification of vivo opens; vivo hands it the custom keys by itself. */
export const VIVO_CLICK_INTENT =
  'intent://cn.leancloud.push/detail?#Intent;scheme=mixpushscheme;launchFlags=0x10000000;end'
