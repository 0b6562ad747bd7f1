#!/usr/bin/env node
// The command `homeport`. It only uses syntax and modules that old versions of Node know, so that these print one clear line.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { requireNode } from './require-node.mjs'

requireNode()
const program = new URL('../dist/cli/main.js', import.meta.url)
if (existsSync(fileURLToPath(program))) await import(program.href)
else {
  process.stderr.write('homeport: the program is not built. Run `npm ci && npm run build` in the checkout.\n')
  process.exitCode = 1
}
