import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the administrator's token: the configured one (HOMEPORT_ADMIN_TOKEN), else that of the file `admin-token` in the data
 * directory, else a new one of 256 random bits, which is stored there, readable only by the owner.
 */
export function adminToken(directory: string, given?: string): string {
  if (given) return given
  const file = join(directory, 'admin-token')
  const existing = readToken(file)
  if (existing) return existing
  const token = randomBytes(32).toString('base64url')
  writeFileSync(file, `${token}\n`, { mode: 0o600, flush: true })
  return token
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw new Error(`Cannot read the administrator's token in ${file} (${code}).`)
  }
}
