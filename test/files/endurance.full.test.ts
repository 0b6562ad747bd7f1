import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { makeApp } from '../support/app.ts'
import { isRunning } from '../support/home.ts'
import { ADMIN_TOKEN, startFilesServer } from './own-server.ts'
import { connectRaw } from './raw-http.ts'
import { askToken, put, someBytes, until, upload } from './uploading.ts'

const { app, program, home } = await startFilesServer()
const MB = 1024 * 1024
const linux = test.skipIf(process.platform !== 'linux')

/** Returns the memory of the server in bytes. */
const memory = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${program.process.pid}/status`, 'utf8'))![1]) * 1024
/** Returns the files of the store the server has open. */
const openFiles = () =>
  readdirSync(`/proc/${program.process.pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${program.process.pid}/fd/${fd}`).startsWith(join(home.data, 'files'))
    } catch {
      return false
    }
  }).length

linux('256 MB go up and come down in constant memory', async () => {
  const size = 256 * MB
  await upload(app, 'first', someBytes(8 * MB))
  const chunk = someBytes(MB)
  const expected = createHash('md5')
  for (let n = 0; n < 256; n++) expected.update(chunk)
  const before = memory()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, memory())
  }, 20)
  const { upload_url: to, url } = await askToken(app, { name: 'large.bin', metaData: { size } })
  const status = await new Promise<number>((resolve, reject) => {
    const sending = request(to, { method: 'PUT', headers: { 'content-length': size } }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    sending.on('error', reject)
    void pipeline(
      Readable.from(
        (function* () {
          for (let n = 0; n < 256; n++) yield chunk
        })(),
      ),
      sending,
    )
  })
  expect(status).toBe(200)
  const hash = createHash('md5')
  const response = await fetch(url)
  for await (const part of response.body!) hash.update(part)
  clearInterval(watch)
  expect(hash.digest('hex')).toBe(expected.digest('hex'))
  expect(most - before).toBeLessThan(100 * MB)
})

linux('downloads that break off leave no file open', async () => {
  const { url } = await upload(app, 'broken', someBytes(4 * MB))
  const { host, pathname } = new URL(url)
  for (let round = 0; round < 5; round++)
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const { socket, send, statusLine } = await connectRaw(url)
        // Some clients request several before the first response.
        send(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(1 + (n % 4)))
        // Some clients disconnect before the response, some during it.
        if (n % 3 > 0) await new Promise((resolve) => setTimeout(resolve, n % 7))
        else await statusLine
        socket.destroy()
      }),
    )
  await until(async () => openFiles() === 0)
})

test('uploads fail and leave nothing when their app is deleted, and the server keeps running', async () => {
  const doomed = await makeApp(program.url, ADMIN_TOKEN)
  const running = []
  for (let n = 0; n < 10; n++) {
    const { upload_url: to } = await askToken(doomed, { name: `${n}`, metaData: { size: 1000 } })
    const raw = await connectRaw(to)
    raw.send(`PUT ${new URL(to).pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(500)}`)
    running.push(raw)
  }
  const folder = join(home.data, 'files', doomed.appId)
  await until(async () => filesIn(folder).length === 10)
  const deleted = doomed.admin('DELETE', '')
  for (const raw of running.slice(0, 5)) raw.send('x'.repeat(500))
  expect((await deleted).status).toBe(200)
  for (const raw of running.slice(5)) raw.send('x'.repeat(500))
  for (const raw of running) expect(await raw.statusLine).toMatch(/ (200|403|404|503) /)
  await until(async () => filesIn(folder).length === 0)
  expect(isRunning(program)).toBe(true)
  expect(program.output()).not.toMatch(/unexpectedly|unhandled promise rejection/)
  const { upload_url: to } = await askToken(app, { name: 'after', metaData: { size: 1 } })
  expect((await put(to, Buffer.from('x'))).status).toBe(200)
})

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
  } catch {
    return []
  }
}
