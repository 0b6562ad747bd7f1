import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startCaddy, startNginx } from './start-proxies.mjs'

export const name = 'proxies'
export const title = 'Clients behind nginx and Caddy with the shipped files'

const CLIENT = fileURLToPath(new URL('client-behind-proxy.mjs', import.meta.url))

/** Needs `directory`, `url` and `app`. */
export async function run({ directory, url, app, pass }) {
  for (const [program, start] of [
    ['nginx', startNginx],
    ['caddy', startCaddy],
  ]) {
    const files = join(directory, program)
    mkdirSync(files)
    const proxy = await start(program, files, new URL(url).host)
    try {
      const args = [CLIENT, proxy.url, proxy.plainUrl, app.appId, app.appKey]
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: proxy.authority }
      const { stdout } = await promisify(execFile)(process.execPath, args, { env })
      for (const line of stdout.trim().split('\n')) pass(`${program}: ${line}`)
    } finally {
      await proxy.stop()
    }
  }
}
