// `npm run bench:messaging`: the realtime server.
import { loadBench, root } from './compile-bench.mjs'

const { benchMessaging } = await loadBench('messaging/main.js')
await benchMessaging(root, process.argv)
