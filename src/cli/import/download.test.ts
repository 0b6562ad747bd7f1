import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { allowPrivateAddresses } from '../../http-client/reachable-address.ts'
import { download, removeDownload } from './download.ts'

const content = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251))
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {}
const requests: IncomingMessage[] = []
const server = createServer((request, response) => {
  requests.push(request)
  answer(request, response)
})
const folder = mkdtempSync(join(tmpdir(), 'homeport-download-'))
let origin = ''

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  requests.splice(0)
  allowPrivateAddresses(['loopback'])
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const options = () => ({ directory: folder, trusted: new Set([new URL(origin).host]), onBytes: () => {} })

/** Responds with the requested range, and closes the connection after some bytes of each response. */
function serveInPieces(piece: number, tag: () => string) {
  answer = ({ headers }, response) => {
    const [, from = '0'] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? []
    const isSame = headers['if-range'] === tag()
    const begin = headers.range && isSame ? Number(from) : 0
    const range = { 'content-range': `bytes ${begin}-${content.length - 1}/${content.length}` }
    const length = { 'content-length': content.length - begin, etag: tag() }
    response.writeHead(begin > 0 ? 206 : 200, { ...length, ...(begin > 0 && range) })
    if (content.length - begin <= piece) return void response.end(content.subarray(begin))
    response.write(content.subarray(begin, begin + piece), () => setTimeout(() => response.destroy(), 20))
  }
}

describe('a download', () => {
  it('resumes after an interruption, into a file that only its owner can read', async () => {
    serveInPieces(120_000, () => '"one"')
    const path = await download(`${origin}/secret/export.tar.gz?signature=x`, options())
    expect(basename(path)).toBe('export.tar.gz')
    expect(readFileSync(path).equals(content)).toBe(true)
    expect(statSync(path).mode & 0o077).toBe(0)
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=120000-', 'bytes=240000-'])
    await removeDownload(path)
    expect(existsSync(path)).toBe(false)
  })

  it('restarts when the file has changed meanwhile', async () => {
    let tries = 0
    serveInPieces(200_000, () => (requests.length > 1 ? `"new"` : `"old ${tries++}"`))
    const path = await download(`${origin}/changed.bin`, options())
    expect(readFileSync(path).equals(content)).toBe(true)
    await removeDownload(path)
  })

  it('follows a limited number of redirects, and only to private addresses that the user named', async () => {
    answer = (request, response) => {
      if (request.url === '/there') return void response.end('bytes')
      response.writeHead(302, { location: request.url === '/moved' ? '/there' : '/circle' }).end()
    }
    const path = await download(`${origin}/moved`, options())
    expect(readFileSync(path, 'utf8')).toBe('bytes')
    await expect(download(`${origin}/circle`, options())).rejects.toThrow(/too many redirects/)
    allowPrivateAddresses([])
    const untrusted = { ...options(), trusted: new Set<string>() }
    await expect(download(`${origin}/there`, untrusted)).rejects.toThrow(/cannot download/)
  })

  it('reports the fault without secrets of the URL', async () => {
    answer = (_, response) => void response.writeHead(403).end('no')
    const failure = await download(`${origin}/token-abc/file.zip?key=def`, options()).catch((error: Error) => error)
    expect(String(failure)).toMatch(/file\.zip: the server returned status 403/)
    expect(String(failure)).not.toMatch(/token-abc|def/)
  })
})
