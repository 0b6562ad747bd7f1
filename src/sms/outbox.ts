import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { defaultText } from './default-text.ts'
import type { SmsProvider, TextMessage } from './sms.ts'

const CONTROL_CHARACTERS = /\p{Cc}+/gu

/**
 * Writes each message to a file of its own, readable for this user alone: there is no provider. The log names phone and
 * code, because whoever tries out an app has no other way to learn them.
 */
export function outboxProvider(outbox: string, log: Log, now: () => Date): SmsProvider {
  return {
    async send(message) {
      const name = `${now().toISOString().replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}.sms.txt`
      const path = join(outbox, name)
      await mkdir(outbox, { recursive: true, mode: 0o700 })
      // A program that watches the outbox finds whole messages only.
      await writeFile(`${path}.tmp`, messageFile(message), { mode: 0o600 })
      await rename(`${path}.tmp`, path)
      const { phone, code } = message
      log.info({ phone, code, file: path }, 'text message written to outbox')
    },
  }
}

/** `Name: value` lines, an empty line, the text. A notice has no text: that is in the template of a provider. */
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
