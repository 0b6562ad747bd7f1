import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Delivery, Letter } from './message.ts'

/** Writes each message to a separate file with mode 0600, when no mail server is configured. */
export function deliverToOutbox(outbox: string, from: string): Delivery {
  return async (letter) => {
    const now = new Date()
    const name = `${now.toISOString().replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}.eml`
    const path = join(outbox, name)
    await mkdir(outbox, { recursive: true, mode: 0o700 })
    // Renames a complete file, so that programs watching the outbox never read a partial message.
    await writeFile(`${path}.tmp`, mailFile(letter, from, now), { mode: 0o600 })
    await rename(`${path}.tmp`, path)
    return path
  }
}

/** Formats a message for mail programs (RFC 6532), without encoding, so that it can also be read by people and scripts. */
function mailFile(letter: Letter, from: string, date: Date): string {
  const headers = [
    `From: ${from}`,
    `To: ${letter.to}`,
    `Subject: ${letter.subject}`,
    `Message-ID: ${letter.messageId}`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
  ].join('\n')
  const text = part('text/plain', letter.text)
  if (letter.html === undefined) return `${headers}\n${text}\n`
  const boundary = randomBytes(16).toString('hex')
  const parts = [text, part('text/html', letter.html)].map((content) => `--${boundary}\n${content}\n`)
  return `${headers}\nContent-Type: multipart/alternative; boundary="${boundary}"\n\n${parts.join('')}--${boundary}--\n`
}

function part(type: string, content: string): string {
  return `Content-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${content}`
}
