import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The sources of dist/, except the console. */
export const SERVER_SOURCES = ['src', 'scripts/bundle-server.mjs', 'tsconfig.json', 'package.json']

/** The sources of the console in dist/. */
export const CONSOLE_SOURCES = [
  'console/src',
  'console/public',
  'console/index.html',
  'console/vite.config.ts',
  'console/decorative-icons.ts',
  'console/package.json',
]

/** @returns {number} the modification time of the newest file in a folder, in milliseconds since 1970 */
export function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}
