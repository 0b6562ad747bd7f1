import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const file = join(root, 'npm-shrinkwrap.json')

/**
 * Writes the tested versions of all dependencies into the file that npm follows when it installs the package. Without it, npm takes
 * the newest versions of indirect dependencies, among them such that do not support the oldest supported Node.
 */
export function writeShrinkwrap() {
  const { packages, ...rest } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { workspaces: _, devDependencies: __, ...own } = packages['']
  const installed = Object.entries(packages).filter(
    ([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link,
  )
  writeFileSync(
    file,
    `${JSON.stringify({ ...rest, packages: { '': own, ...Object.fromEntries(installed) } }, null, 2)}\n`,
  )
}

/** In the checkout, npm would follow this file instead of package-lock.json. */
export function removeShrinkwrap() {
  rmSync(file, { force: true })
}
