// `npm run bench:import`: the cost of imports.
import { loadBench, root } from './compile-bench.mjs'

const { benchImport } = await loadBench('import/main.js')
await benchImport(root, process.argv)
