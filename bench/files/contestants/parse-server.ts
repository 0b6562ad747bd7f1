import type { Cleanup } from '../../cleanup.ts'
import { HEADERS, MOUNT, parseServer } from '../../contestants/parse-server.ts'
import { startPostgres, temporaryDirectory } from '../../postgres.ts'
import { processorTime } from '../../server-usage.ts'
import type { FileContestant } from './contestant.ts'

/** Starts Parse Server with its adapter for files in a folder. */
export async function startParseServerForFiles(cleanup: Cleanup): Promise<FileContestant> {
  const database = await (await startPostgres(cleanup)).database('files')
  const { url, pid } = await parseServer(await temporaryDirectory(cleanup), database, cleanup)
  return {
    name: 'parse-server',
    url,
    processorTime: () => processorTime(pid),
    async upload(connection, name, bytes) {
      const headers = { ...HEADERS, 'Content-Type': 'application/octet-stream' }
      const { text } = await connection.request({
        method: 'POST',
        path: `${MOUNT}/files/${name}`,
        headers,
        body: bytes,
      })
      return new URL((JSON.parse(text) as { url: string }).url).pathname
    },
  }
}
