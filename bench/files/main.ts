import { cpus, totalmem } from 'node:os'
import type { Cleanup } from '../cleanup.ts'
import { PARSE_SERVER_VERSION } from '../contestants/parse-server.ts'
import { runBenchmark } from '../run-benchmark.ts'
import type { FileContestant } from './contestants/contestant.ts'
import { type Homeport, startHomeportForFiles } from './contestants/homeport.ts'
import { nginxVersion, startNginx } from './contestants/nginx.ts'
import { startParseServerForFiles } from './contestants/parse-server.ts'
import type { FileFigures } from './figures.ts'
import { measureMemory } from './memory.ts'
import { type FileOptions, readOptions } from './options.ts'
import { measurePictures } from './pictures.ts'
import { report } from './report.ts'
import { measureTransfers, type TransferFigure } from './transfers.ts'

/**
 * Runs the benchmark of files and prints its figures; stops and removes everything at the end, also on Ctrl-C and on failure.
 * @param root the project folder, with a build in `dist`
 */
export async function benchFiles(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(options.json, (cleanup) => measure(root, options, cleanup), report)
}

async function measure(root: string, options: FileOptions, cleanup: Cleanup): Promise<FileFigures> {
  const { parts, peer, rounds, seconds } = options
  const nginx = nginxVersion()
  if (nginx === null && parts.has('transfers')) process.stderr.write('nginx is not installed and does not take part\n')
  const withHomeport = <Result>(work: (homeport: Homeport, inner: Cleanup) => Promise<Result>) =>
    cleanup.within(async (inner) => work(await startHomeportForFiles(root, inner), inner))
  // Each part has a new server, so that its memory is independent of others.
  const transfers = parts.has('transfers')
    ? await withHomeport((homeport, inner) => transfersDuring(homeport, nginx !== null, options, inner))
    : undefined
  const memory = parts.has('memory') ? await withHomeport(measureMemory) : undefined
  const pictures = parts.has('pictures')
    ? await withHomeport((homeport, inner) => measurePictures(homeport, options, inner))
    : undefined
  return {
    date: new Date().toISOString(),
    machine: {
      processors: cpus().length,
      model: cpus()[0]?.model ?? 'unknown',
      memory: totalmem(),
      node: process.version,
      nginx,
      parseServer: peer ? PARSE_SERVER_VERSION : null,
    },
    options: { rounds, seconds },
    ...(transfers && { transfers }),
    ...(memory && { memory }),
    ...(pictures && { pictures }),
  }
}

async function transfersDuring(
  homeport: Homeport,
  hasNginx: boolean,
  options: FileOptions,
  cleanup: Cleanup,
): Promise<TransferFigure[]> {
  const others: FileContestant[] = []
  if (hasNginx) others.push(await startNginx(homeport.folder, cleanup))
  if (options.peer) others.push(await startParseServerForFiles(cleanup))
  return measureTransfers(homeport, others, options)
}
