import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const name = 'pack'
export const title = 'Pack the npm package'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Sets `tarball`, the path of the package. */
export async function run(context) {
  const args = ['pack', '--json', '--pack-destination', context.directory]
  const [packed] = Object.values(
    JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })),
  )
  const files = packed.files.map(({ path }) => path)
  for (const needed of [
    'bin/homeport.mjs',
    'dist/cli/main.js',
    'npm-shrinkwrap.json',
    'dist/console/index.html',
    'README.md',
    'LICENSE',
  ])
    if (!files.includes(needed)) throw new Error(`${needed} is missing in the package`)
  context.tarball = join(context.directory, packed.filename)
  context.pass(`${packed.filename}: ${files.length} files, ${(packed.size / 1e6).toFixed(1)} MB`)
}
