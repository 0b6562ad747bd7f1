// `npm run bench`: the object store and accounts.
import { loadBench, root } from './compile-bench.mjs'

const { bench } = await loadBench('main.js')
await bench(root, process.argv)
