// `npm run crash`: data after crashes.
import { join } from 'node:path'
import { loadCompiled, root } from './compile-bench.mjs'

process.env.HOMEPORT_TEST_PROGRAM ??= join(root, 'dist/cli/main.js')
const { crash } = await loadCompiled('test/crash/campaign', 'homeport-crash', 'main.js')
await crash(process.argv)
