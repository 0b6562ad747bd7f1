import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What dist/ is made of, but for the console. */
export const SERVER_SOURCES = ['src', 'scripts/bundle-server.mjs', 'tsconfig.json', 'package.json']

/** What the console in dist/ is made of. */
export const CONSOLE_SOURCES = [
  'console/src',
  'console/public',
  'console/index.html',
  'console/vite.config.ts',
  'console/decorative-icons.ts',
  'console/package.json',
]

/** @returns {number} when the newest file of a folder was changed, in milliseconds since 1970 */
export function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}
