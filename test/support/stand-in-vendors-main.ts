import { startStandInVendors } from './stand-in-vendors.ts'

// Runs as a separate process: prints its URL in the first line, and exits when its input ends.
const { url, stop } = await startStandInVendors(Number(process.argv[2] ?? 0))
console.log(url)
process.stdin.resume().on('end', stop)
