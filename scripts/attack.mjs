// `npm run attack`: what one hostile client does to the others.
import { loadBench, root } from './compile-bench.mjs'

const { attack } = await loadBench('attack/main.js')
await attack(root, process.argv)
