import { createHmac } from 'node:crypto'
import { ask, objectIn } from './ask.ts'
import type { Platform } from './platform.ts'
import type { PlatformSettings } from './platform-settings.ts'
import { refusals } from './refusals.ts'

/**
 * A check of the developer's own, for a platform of any name. The URL gets `{platform, data}`. It agrees with 2xx, and
 * with an object in the body whose members replace or join those that were sent; it refuses with 4xx.
 *
 * With a secret, `X-Homeport-Signature: sha256=<hex>` shows that we ask: the HMAC-SHA256 of the body.
 */
export function endpoint(name: string, settings: PlatformSettings['endpoints'][string], timeout: number): Platform {
  return {
    async check(data) {
      const body = JSON.stringify({ platform: name, data })
      const headers: Record<string, string> = { 'Content-Type': 'application/json' }
      if (settings.secret !== undefined)
        headers['X-Homeport-Signature'] = `sha256=${createHmac('sha256', settings.secret).update(body).digest('hex')}`

      const answer = await ask(new URL(settings.url), timeout, { method: 'POST', headers, body, reach: 'app' })
      if (answer.status >= 400) throw refusals.linkedSession(`The check of '${name}' refuses it.`)
      return answer.text.trim() === '' ? data : { ...data, ...objectIn(answer) }
    },
  }
}
