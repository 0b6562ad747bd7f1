// `npm run crash:moving`: imports and pulls that are killed.
import { join } from 'node:path'
import { loadCompiled, root } from './compile-bench.mjs'

process.env.HOMEPORT_TEST_PROGRAM ??= join(root, 'dist/cli/main.js')
const { crashMoving } = await loadCompiled('test/crash/moving', 'homeport-crash-moving', 'main.js')
await crashMoving(process.argv)
