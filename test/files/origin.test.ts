import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { AdministratorBrowser } from '../support/administrator-browser.ts'
import { makeApp, type TestApp } from '../support/app.ts'
import { ADMIN_TOKEN, startFilesServer } from './own-server.ts'

// User files never run on the console origin, and file hosts serve nothing else.

const FILES_HOST = 'files.example.org'
const API_HOST = 'api.example.org'

const { app, program } = await startFilesServer({
  HOMEPORT_PUBLIC_URL: `https://${API_HOST}`,
  HOMEPORT_FILES_PUBLIC_URL: `https://${FILES_HOST}`,
})
const other = await makeApp(program.url, ADMIN_TOKEN)
const page = Buffer.from('<script>alert(1)</script>')

interface Response {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly text: string
}

/** Sends a request with any `Host` header. */
function send(host: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return new Promise((resolve, reject) => {
    request(`${program.url}${path}`, { method, headers: { host, ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
    })
      .on('error', reject)
      .end()
  })
}

/** Stores a file by an API request, because the public host is not reachable here. */
async function store(name: string, mimeType?: string): Promise<{ objectId: string; key: string; url: string }> {
  const body = { base64: page.toString('base64'), ...(mimeType !== undefined && { mime_type: mimeType }) }
  const reply = await app.request('POST', `/1.1/files/${name}`, { body })
  expect(reply.status).toBe(201)
  return reply.body
}

const pathOf = ({ key }: { readonly key: string }) => `/files/${app.appId}/${key}`

const setDomain = (of: TestApp, domain: string | null) => of.admin('PATCH', '/settings', { files: { domain } })

describe('a type that browsers read differently from the server', () => {
  const TYPES = [
    'application/pdf;x,text/html',
    'application/pdf,text/html',
    'text/plain;x,text/javascript',
    'application/pdf;x,text/javascript',
    'image/png;x="y",text/html',
    'text/plain; charset=utf-7',
    'text/html\r\nset-cookie: x=1',
    'pdf',
  ]

  it.each(TYPES)('is rejected by every kind of upload: %j', async (type) => {
    const fault = { status: 400, body: { code: 1, error: expect.stringMatching(/'mime_type' must be a media type/) } }
    const token = { name: 'a.pdf', mime_type: type, metaData: { size: page.length } }
    expect(await app.request('POST', '/1.1/fileTokens', { body: token })).toMatchObject(fault)
    const base64 = { base64: page.toString('base64'), mime_type: type }
    expect(await app.request('POST', '/1.1/files/a.pdf', { body: base64 })).toMatchObject(fault)
    const older = { base64: page.toString('base64'), _ContentType: type }
    expect(await app.request('POST', '/1.1/files/a.pdf', { body: older })).toMatchObject(fault)
  })

  it.each(TYPES)('is served as unknown when an earlier version stored it: %j', async (type) => {
    const file = await store('a.pdf')
    await app.sql('UPDATE "$files" SET mime_type = $1 WHERE key = $2', [type, file.key])
    for (const host of [API_HOST, FILES_HOST]) {
      const { headers } = await send(host, pathOf(file))
      expect(headers['content-type']).toBe('application/octet-stream')
      expect(headers['content-security-policy']).toMatch(/^sandbox;/)
    }
  })

  it('is not among the types an app accepts', async () => {
    const pictures = await makeApp(program.url, ADMIN_TOKEN)
    await pictures.admin('PATCH', '/settings', { files: { types: ['application/pdf'] } })
    const token = (type: string) => ({ name: 'a', mime_type: type, metaData: { size: 1 } })
    const ask = async (type: string) =>
      (await pictures.request('POST', '/1.1/fileTokens', { body: token(type) })).status
    expect(await ask('Application/PDF; x=y')).toBe(200)
    expect(await ask('application/pdf;x,text/html')).toBe(400)
    expect(await ask('text/html; x=application/pdf')).toBe(400)
  })
})

describe('a host that also serves the console', () => {
  it.each([
    ['a.html', 'text/html'],
    ['a.pdf', 'application/pdf'],
    ['a.svg', 'image/svg+xml'],
    ['a.js', 'text/javascript1.3'],
    ['a.png', 'image/png'],
    ['a.mp4', 'video/mp4'],
    ['a', 'application/x-unheard-of'],
  ])('sandboxes each file: %s', async (name, mimeType) => {
    const { headers } = await send(API_HOST, pathOf(await store(name, mimeType)))
    expect(headers['content-security-policy']).toMatch(/^sandbox;/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['service-worker-allowed']).toBeUndefined()
  })

  it.each(['script', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'paintworklet', 'xslt'])(
    'serves no file to a page that would execute it: %s',
    async (destination) => {
      const path = pathOf(await store('a.txt'))
      expect((await send(API_HOST, path, { 'sec-fetch-dest': destination })).status).toBe(403)
      expect((await send(API_HOST, path, { 'sec-fetch-dest': 'image' })).status).toBe(200)
      expect((await send(API_HOST, path, { 'service-worker': 'script' })).status).toBe(403)
    },
  )
})

describe('--files-public-url', () => {
  it('is the base URL of files', async () => {
    const file = await store('a.txt')
    expect(file.url).toBe(`https://${FILES_HOST}${pathOf(file)}`)
    const { body } = await app.request('GET', `/1.1/files/${file.objectId}`)
    expect(body.url).toBe(file.url)
    expect((await send(FILES_HOST, pathOf(file))).text).toBe(page.toString())
    // Old links keep working.
    expect((await send(API_HOST, pathOf(file))).text).toBe(page.toString())
  })

  it('shows pages in a sandbox, and PDFs', async () => {
    const html = await send(FILES_HOST, pathOf(await store('a.html')))
    expect(html.headers['content-disposition']).toMatch(/^inline/)
    expect(html.headers['content-security-policy']).toMatch(/^sandbox;/)
    const pdf = await send(FILES_HOST, pathOf(await store('a.pdf')))
    expect(pdf.headers['content-disposition']).toMatch(/^inline/)
    expect(pdf.headers['content-security-policy']).toBeUndefined()
  })

  it.each(['/', '/console/', '/console/index.html', '/admin/me', '/1.1/date', '/health', '/files', '/v1/route'])(
    'serves nothing else: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        expect((await send(FILES_HOST, path, { authorization: `Bearer ${ADMIN_TOKEN}` }, method)).status).toBe(404)
      }
    },
  )
})

describe('files.domain', () => {
  it('serves only files, for every method', async () => {
    const own = 'own.example.org'
    expect((await setDomain(other, `https://${own}`)).status).toBe(200)
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await send(own, '/admin/me', headers, method)).status).toBe(404)
    await setDomain(other, null)
  })

  it.each([
    `https://${API_HOST}`,
    `http://${API_HOST}:8080`,
    `https://${API_HOST.toUpperCase()}`,
    `https://${FILES_HOST}`,
  ])('cannot be a host of the server: %s', async (domain) => {
    const { status, body } = await setDomain(app, domain)
    expect([status, body.code, body.error]).toEqual([400, 137, expect.stringMatching(/'files.domain' must be a host/)])
  })

  it('cannot be the host the administrator uses', async () => {
    const { host } = new URL(program.url)
    expect((await setDomain(app, `http://${host}`)).body.code).toBe(137)
    expect((await send(host, '/health')).status).toBe(200)
  })

  it('belongs to one app: of several concurrent claims one succeeds', async () => {
    const apps = await Promise.all(Array.from({ length: 6 }, () => makeApp(program.url, ADMIN_TOKEN)))
    const claims = await Promise.all(apps.map((one) => setDomain(one, 'https://claimed.example.org')))
    expect(claims.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    const refused = claims.find(({ status }) => status === 400)!
    expect(refused.body).toMatchObject({ code: 137, error: expect.stringMatching(/belongs to another app/) })
    const winner = apps[claims.findIndex(({ status }) => status === 200)]!
    // Setting the same domain again is no conflict, and removing it releases the host.
    expect((await setDomain(winner, 'https://CLAIMED.example.org')).status).toBe(200)
    await setDomain(winner, null)
    expect((await setDomain(apps[0]!, 'https://claimed.example.org')).status).toBe(200)
  })

  it('stored by an earlier version for a host of the server overrides nothing', async () => {
    await app.sql(`UPDATE homeport.apps SET settings = jsonb_set(settings, '{files}', $1) WHERE id = $2`, [
      JSON.stringify({ domain: `https://${API_HOST}` }),
      app.appId,
    ])
    await app.admin('PATCH', '/settings', { storage: { returnAclInQueries: true } })
    expect((await send(API_HOST, '/health')).status).toBe(200)
    await setDomain(app, null)
  })

  it('can be set only by owners; updates by other administrators keep it', async () => {
    const script = new AdministratorBrowser(program.url)
    const token = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const { body } = await script.send(
      'POST',
      '/admin/administrators',
      { name: 'of one app', role: 'administrator', apps: [app.appId] },
      token,
    )
    const browser = new AdministratorBrowser(program.url)
    await browser.enter('/admin/login/link', { token: body.link.token })
    const patch = (files: object) => browser.send('PATCH', `/admin/apps/${app.appId}/settings`, { files })
    expect(await patch({ domain: 'https://mine.example.org' })).toMatchObject({
      status: 403,
      body: { error: "Only owners of the server can set 'files.domain'." },
    })
    await setDomain(app, 'https://mine.example.org')
    expect((await patch({ domain: 'https://mine.example.org', maxSize: 1_000_000 })).status).toBe(200)
    expect((await patch({ domain: null })).status).toBe(200)
  })
})
