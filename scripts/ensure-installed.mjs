import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** @returns {boolean} whether `npm ci` has installed the dependencies of the checkout */
export function isInstalled() {
  return existsSync(join(root, 'node_modules/.package-lock.json'))
}

/** Ends the process with one clear line if the dependencies of the checkout are missing. */
export function requireDependencies() {
  if (isInstalled()) return
  process.stderr.write('The dependencies are not installed. Run `npm ci` first.\n')
  process.exit(1)
}
