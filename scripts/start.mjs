// `npm start -- --port 8123` is `homeport start --port 8123` in a checkout.
import { requireNode } from '../bin/require-node.mjs'
import { ensureBuilt } from './ensure-built.mjs'
import { requireDependencies } from './ensure-installed.mjs'

requireNode()
requireDependencies()

// A signal to npm alone ends npm and its shell, which do not forward it: the server would keep running.
const { ppid } = process
const watch = setInterval(() => {
  if (process.ppid === ppid) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, 500)
watch.unref()

ensureBuilt()
process.argv.splice(2, 0, 'start')
await import('../dist/cli/main.js')
