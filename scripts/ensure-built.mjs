// Builds when dist/ is missing or older than a source file, so that `npm start` never runs stale code.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONSOLE_SOURCES, newest, SERVER_SOURCES } from './sources.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** @returns {boolean} whether dist/ reflects the sources */
function isCurrent() {
  const stamp = join(root, 'dist/.built')
  if (!existsSync(stamp)) return false
  if (!existsSync(join(root, 'src'))) return true
  const sources = [...SERVER_SOURCES, ...CONSOLE_SOURCES].map((name) => newest(join(root, name)))
  return statSync(stamp).mtimeMs >= Math.max(...sources)
}

export function ensureBuilt() {
  if (isCurrent()) return
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (built.status !== 0) process.exit(built.status ?? 1)
}
