// `npm run bench:live-room`: a crowd behind one address in one chat room.
import { loadBench, root } from './compile-bench.mjs'

const { benchLiveRoom } = await loadBench('live-room/main.js')
await benchLiveRoom(root, process.argv)
