// `npm run bench:livequery`: live queries.
import { loadBench, root } from './compile-bench.mjs'

const { benchLiveQueries } = await loadBench('livequery/main.js')
await benchLiveQueries(root, process.argv)
