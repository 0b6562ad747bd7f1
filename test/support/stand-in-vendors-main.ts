import { startStandInVendors } from './stand-in-vendors.ts'

// A process of its own: says where it listens in the first line of its output, and ends when its input does.
const { url, stop } = await startStandInVendors(Number(process.argv[2] ?? 0))
console.log(url)
process.stdin.resume().on('end', stop)
