import { createHmac } from 'node:crypto'
import type { Platform } from './platform.ts'
import { objectIn, requestPlatform } from './platform-request.ts'
import type { PlatformSettings } from './platform-settings.ts'
import { refusals } from './refusals.ts'

/**
 * A check by the app's own server, for a platform of any name. The URL receives `{platform, data}`. A 2xx response
 * accepts the data, and an object in its body replaces or adds members; a 4xx response rejects it.
 *
 * With a secret, `X-Homeport-Signature: sha256=<hex>` proves that Homeport sent the request: the HMAC-SHA256 of the
 * body.
 */
export function endpoint(name: string, settings: PlatformSettings['endpoints'][string], timeout: number): Platform {
  return {
    async check(data) {
      const body = JSON.stringify({ platform: name, data })
      const headers: Record<string, string> = { 'Content-Type': 'application/json' }
      if (settings.secret !== undefined)
        headers['X-Homeport-Signature'] = `sha256=${createHmac('sha256', settings.secret).update(body).digest('hex')}`

      const answer = await requestPlatform(new URL(settings.url), timeout, {
        method: 'POST',
        headers,
        body,
        reach: 'app',
      })
      if (answer.status >= 400) throw refusals.linkedSession(`The server that verifies '${name}' rejected the data.`)
      return answer.text.trim() === '' ? data : { ...data, ...objectIn(answer) }
    },
  }
}
