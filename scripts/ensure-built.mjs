// Builds when dist/ is missing or older than a source file, so that `npm start` never runs stale code.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

/** @returns {boolean} whether dist/ reflects the sources */
function isCurrent() {
  const stamp = join(root, 'dist/.built')
  if (!existsSync(stamp)) return false
  if (!existsSync(join(root, 'src'))) return true
  const sources = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json'].map((name) =>
    newest(join(root, name)),
  )
  return statSync(stamp).mtimeMs >= Math.max(...sources)
}

export function ensureBuilt() {
  if (isCurrent()) return
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (built.status !== 0) process.exit(built.status ?? 1)
}
