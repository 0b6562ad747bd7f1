// `npm run bench:import`: what moving in takes.
import { loadBench, root } from './compile-bench.mjs'

const { benchImport } = await loadBench('import/main.js')
await benchImport(root, process.argv)
