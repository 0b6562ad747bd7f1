// `npm run attack`: the effect of one hostile client on others.
import { loadBench, root } from './compile-bench.mjs'

const { attack } = await loadBench('attack/main.js')
await attack(root, process.argv)
