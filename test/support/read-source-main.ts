import { surveyAll } from '../../src/cli/import/survey.ts'
import { fileSource } from '../../src/cli/verify/file-source.ts'
import { filesAt } from '../../src/import/sources/files.ts'

/** Reads a file as imports and comparisons do, and prints the result and the memory used. */
const [path, className] = process.argv.slice(2)
const before = process.resourceUsage().maxRSS
const surveyed = await surveyAll(await filesAt(path!), { className, relation: undefined })
const source = fileSource(surveyed, true, () => {})
let records = 0
for await (const batch of source.batches()) records += batch.items.length
const { maxRSS } = process.resourceUsage()
process.stdout.write(
  JSON.stringify({
    records,
    faults: [...source.faults].slice(0, 3),
    before: Math.round(before / 1024),
    peak: Math.round(maxRSS / 1024),
  }),
)
