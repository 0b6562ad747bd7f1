import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { defaultText } from './default-text.ts'
import type { SmsProvider, TextMessage } from './sms.ts'

const CONTROL_CHARACTERS = /\p{Cc}+/gu

/**
 * Creates the provider that writes each message to a separate file with mode 0600 instead of sending it. The log
 * contains phone and code, so that developers can try out an app.
 */
export function outboxProvider(outbox: string, log: Log, now: () => Date): SmsProvider {
  return {
    async send(message) {
      const name = `${now().toISOString().replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}.sms.txt`
      const path = join(outbox, name)
      await mkdir(outbox, { recursive: true, mode: 0o700 })
      // Renames a complete file, so that programs watching the outbox never read a partial message.
      await writeFile(`${path}.tmp`, messageFile(message), { mode: 0o600 })
      await rename(`${path}.tmp`, path)
      const { phone, code } = message
      log.info({ phone, code, file: path }, 'text message written to outbox')
    },
  }
}

/** Returns `Name: value` lines, an empty line, and the text. A notice has no text, because a provider's template contains it. */
function messageFile(message: TextMessage): string {
  const { phone, channel, template, sign, variables } = message
  const lines = [
    ['To', phone],
    ['Channel', channel],
    ['Template', template],
    ['Sign', sign],
    ['Variables', Object.keys(variables).length > 0 ? JSON.stringify(variables) : null],
  ].flatMap(([name, value]) => (value == null ? [] : [`${name}: ${value.replace(CONTROL_CHARACTERS, ' ')}\n`]))
  return `${lines.join('')}\n${defaultText(message) ?? ''}\n`
}
