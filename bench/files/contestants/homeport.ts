import { dirname, join } from 'node:path'
import type { Cleanup } from '../../cleanup.ts'
import { TRIVIAL } from '../../contestants/homeport.ts'
import { startMessaging } from '../../messaging/server.ts'
import { processorTime } from '../../server-usage.ts'
import type { FileContestant } from './contestant.ts'

export interface Homeport extends FileContestant {
  readonly pid: number
  /** The folder of its files. */
  readonly folder: string
  /** Returns the paths of files below `folder` for the paths of their URLs. */
  pathsOf(paths: readonly string[]): Promise<string[]>
}

interface Token {
  readonly upload_url: string
  readonly url: string
  readonly token: string
}

/** Starts Homeport with its embedded database, with files in its data directory. */
export async function startHomeportForFiles(root: string, cleanup: Cleanup): Promise<Homeport> {
  const { url, pid, appId, query, table } = await startMessaging(root, false, cleanup)
  const [setting] = await query<{ data_directory: string }>('SHOW data_directory')
  return {
    name: 'homeport',
    url,
    pid,
    folder: join(dirname(setting!.data_directory), 'files'),
    processorTime: () => processorTime(pid),
    async upload(connection, name, bytes) {
      const post = async (path: string, content: object) => {
        const headers = { ...TRIVIAL.headers, 'Content-Type': 'application/json' }
        return (await connection.request({ method: 'POST', path, headers, body: Buffer.from(JSON.stringify(content)) }))
          .text
      }
      const wanted = { name, metaData: { size: bytes.length } }
      const token = JSON.parse(await post('/1.1/fileTokens', wanted)) as Token
      await connection.request({
        method: 'PUT',
        path: pathOfUrl(token.upload_url),
        headers: { 'Content-Type': 'application/octet-stream' },
        body: bytes,
      })
      await post('/1.1/fileCallback', { token: token.token, result: true })
      return pathOfUrl(token.url)
    },
    async pathsOf(paths) {
      const keys = paths.map((path) => decodeURIComponent(path.slice(`/files/${appId}/`.length)))
      const rows = await query<{ key: string; blob: string }>(
        `SELECT key, blob FROM ${table('$files')} WHERE key = ANY($1)`,
        [keys],
      )
      const blobs = new Map(rows.map(({ key, blob }) => [key, blob]))
      return keys.map((key) => `/${appId}/${blobs.get(key)!.slice(0, 2)}/${blobs.get(key)!}`)
    },
  }
}

function pathOfUrl(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
