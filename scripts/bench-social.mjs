// `npm run bench:social`: what users tell and show each other.
import { loadBench, root } from './compile-bench.mjs'

const { benchSocial } = await loadBench('social/main.js')
await benchSocial(root, process.argv)
