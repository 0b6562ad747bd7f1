// Builds what a package contains, before `npm pack` and `npm publish`. A fresh clone gets its dependencies first.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireNode } from '../bin/require-node.mjs'
import { isInstalled } from './ensure-installed.mjs'
import { writeShrinkwrap } from './shrinkwrap.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** @param {string[]} parameters of Node. Output goes to standard error, because that of `npm pack` is the name of the package. */
function run(parameters) {
  const { status } = spawnSync(process.execPath, parameters, {
    cwd: root,
    stdio: ['ignore', process.stderr, 'inherit'],
  })
  if (status !== 0) process.exit(status ?? 1)
}

requireNode()
if (!isInstalled()) run([process.env.npm_execpath, 'ci'])
run([join(root, 'scripts/build.mjs')])
writeShrinkwrap()
