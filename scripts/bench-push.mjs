// `npm run bench:push`: pushes to very many devices.
import { loadBench, root } from './compile-bench.mjs'

const { benchPush } = await loadBench('push/main.js')
await benchPush(root, process.argv)
