// `npm start -- --port 8123` is `homeport start --port 8123` in a checkout.
import { ensureBuilt } from './ensure-built.mjs'

ensureBuilt()
process.argv.splice(2, 0, 'start')
await import('../dist/cli/main.js')
