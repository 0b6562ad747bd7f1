// `npm run bench:social`: statuses, leaderboards and search.
import { loadBench, root } from './compile-bench.mjs'

const { benchSocial } = await loadBench('social/main.js')
await benchSocial(root, process.argv)
