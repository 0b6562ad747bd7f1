// `npm run homeport -- <command>` is `homeport <command>` in a checkout.
import { requireNode } from '../bin/require-node.mjs'
import { ensureBuilt } from './ensure-built.mjs'
import { requireDependencies } from './ensure-installed.mjs'

requireNode()
requireDependencies()
ensureBuilt()
await import('../dist/cli/main.js')
