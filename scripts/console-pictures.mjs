// Takes the console screenshots in the docs: `npm run console:pictures`, with Chromium installed. Starts a separate server, fills
// it with the data of a small app, and stops it afterwards.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { fillApp } from './console-pictures/fill-app.mjs'
import { PAGES } from './console-pictures/pages.mjs'
import { ensureBuilt } from './ensure-built.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const target = join(root, 'docs/pictures')
const token = 'token-for-taking-pictures'
const BROWSER = process.env.HOMEPORT_TEST_BROWSER ?? '/usr/bin/chromium'

/** Each page is captured in each of these views. */
const VIEWS = [
  { name: 'en', locale: 'en', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'zh', locale: 'zh-CN', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'dark', locale: 'en', width: 1440, height: 900, colorScheme: 'dark' },
  { name: 'narrow', locale: 'zh-CN', width: 375, height: 740, colorScheme: 'light' },
]

if (process.platform === 'linux' && execFileSync('fc-list', [':lang=zh']).length === 0)
  throw new Error('No Chinese font is installed (Debian: apt-get install fonts-noto-cjk).')
ensureBuilt()
const data = mkdtempSync(join(tmpdir(), 'homeport-pictures-'))
const port = await freePort()
const url = `http://localhost:${port}`
const server = spawn(
  process.execPath,
  [join(root, 'dist/cli/main.js'), 'start', '--port', String(port), '--data', data],
  {
    env: { ...process.env, HOMEPORT_ADMIN_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
try {
  await ready(server)
  const app = await fillApp(url, token)
  mkdirSync(target, { recursive: true })
  const browser = await chromium.launch({
    executablePath: BROWSER,
    args: ['--no-sandbox', '--force-device-scale-factor=1'],
  })
  const wanted = process.argv.slice(2)
  for (const view of VIEWS) {
    const page = await enter(browser, view)
    for (const { name, path, prepare, views } of PAGES) {
      if ((wanted.length > 0 && !wanted.includes(name)) || (views && !views.includes(view.name))) continue
      await page.goto(path(app))
      await page.waitForLoadState('networkidle')
      await prepare?.(page, app)
      // Waits for animations.
      await page.waitForTimeout(1200)
      const picture = await sharp(await page.screenshot())
        .png({ palette: true, colours: 128, effort: 10 })
        .toBuffer()
      await sharp(picture).toFile(join(target, `${name}-${view.name}.png`))
      process.stdout.write(`${name}-${view.name}.png\n`)
    }
    await page.context().close()
  }
  for (const path of ['/console/', `/console/apps/${app.appId}/data/Post`]) {
    const paint = await firstPaint(browser, path)
    process.stdout.write(`first paint of ${path.replace(app.appId, '<app>')} with an empty cache: ${paint} ms\n`)
  }
  await browser.close()
} finally {
  server.kill('SIGTERM')
  await new Promise((end) => server.once('exit', end))
  rmSync(data, { recursive: true, force: true })
}

/** Returns the median of five first paint times in a new browser, in milliseconds. */
async function firstPaint(browser, path) {
  const times = []
  for (let run = 0; run < 5; run += 1) {
    const page = await enter(browser, VIEWS[0], `${path} ${run}`)
    await page.goto(path)
    await page.waitForLoadState('networkidle')
    const find = `new Promise((end) => new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') end(startTime)
    }).observe({ type: 'paint', buffered: true }))`
    times.push(Math.round(await page.evaluate(find)))
    await page.context().close()
  }
  return times.sort((a, b) => a - b)[2]
}

/** Opens a page of the console, logged in as an owner. */
async function enter(browser, { locale, width, height, colorScheme }, name = `Lin ${locale} ${width} ${colorScheme}`) {
  const context = await browser.newContext({
    baseURL: url,
    locale,
    viewport: { width, height },
    colorScheme,
    timezoneId: 'Asia/Shanghai',
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name, role: 'owner' })
  const { link } = await (await fetch(`${url}/admin/administrators`, { method: 'POST', headers, body })).json()
  await context.request.post('/admin/login/link', { data: { token: link.token } })
  return context.newPage()
}

function ready(child) {
  return new Promise((end, fail) => {
    child.once('exit', (code) => fail(new Error(`The server ended with ${code}.`)))
    child.stdout.on('data', (text) => String(text).includes('Homeport is ready') && end())
  })
}

function freePort() {
  return new Promise((end) => {
    const probe = createServer().listen(0, () => {
      const { port: free } = probe.address()
      probe.close(() => end(free))
    })
  })
}
