// `npm run bench:files`: uploads, downloads and images.
import { loadBench, root } from './compile-bench.mjs'

const { benchFiles } = await loadBench('files/main.js')
await benchFiles(root, process.argv)
