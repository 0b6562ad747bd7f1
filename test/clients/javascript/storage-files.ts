import { describe, expect, it } from 'vitest'
import { bytesFrom } from '../../files/source.ts'
import { makeApp, type TestApp } from '../../support/app.ts'
import { pictureOf, sizeOf } from '../pictures.ts'
import type { Environment, Given, Work } from './environment.ts'
import type { StorageVersion } from './storage-versions.ts'

/** The form in which leancloud-storage receives the bytes of a file. */
export type Form = 'buffer' | 'array' | 'base64' | 'data URI' | 'stream' | 'sized stream' | 'blob' | 'file' | 'path'

/** The uploads that a place supports. */
export interface FileForms {
  /** The form used when the form does not matter. */
  readonly usual: Form
  /** @param provider the provider configured for the app; null lets the server choose one for the client */
  uploads(version: StorageVersion, provider: string | null): readonly [form: Form, size: number][]
}

/** Saves a file of a given size or with given bytes. */
const save: Work = async (AV, { form, size, content, name, type, custom, owner, options = {} }, tools) => {
  const bytes = content ? Uint8Array.from(content) : tools.bytes(size)
  const path = `/of the user/${name}`
  const base64 = () => {
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    return btoa(text)
  }
  const { mkdtempSync, writeFileSync, createReadStream, rmSync } = globalThis.process?.getBuiltinModule('fs') ?? {}
  const folder = form.endsWith('stream') && mkdtempSync(`${process.getBuiltinModule('os').tmpdir()}/homeport-upload-`)
  const stream = () => {
    writeFileSync(`${folder}/content`, bytes)
    return createReadStream(`${folder}/content`)
  }
  const given = {
    buffer: () => Buffer.from(bytes),
    array: () => Array.from(bytes),
    base64: () => ({ base64: base64() }),
    'data URI': () => ({ base64: `data:text/plain;base64,${base64()}` }),
    stream,
    'sized stream': stream,
    blob: () => new Blob([bytes], type ? { type } : {}),
    file: () => new File([bytes], name, type ? { type } : {}),
    path: () => {
      // biome-ignore lint/suspicious/noExplicitAny: the platform of mini-programs
      ;(globalThis as any).wx.getFileSystemManager().writeFileSync(path, bytes.buffer)
      return { blob: { uri: path } }
    },
  }
  const file = new AV.File(name, given[form as keyof typeof given](), type)
  if (form === 'sized stream') file.metaData('size', bytes.length)
  for (const [key, value] of Object.entries(custom ?? {})) file.metaData(key, value)
  if (owner) {
    const acl = new AV.ACL()
    acl.setReadAccess(owner, true)
    file.setACL(acl)
  }
  await file.save(options)
  if (folder) rmSync(folder, { recursive: true })
  return { id: file.id, url: file.url(), name: file.name(), type: file.get('mime_type') ?? null }
}

interface Saved {
  readonly id: string
  readonly url: string
  readonly name: string
  readonly type: string | null
}

async function appWith(files: object): Promise<TestApp> {
  const app = await makeApp()
  await app.admin('PATCH', '/settings', { files })
  return app
}

/** Fetches a URL. */
async function fetched(url: string): Promise<{ status: number; type: string | null; bytes: Buffer }> {
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, type: response.headers.get('content-type'), bytes }
}

/** Saves a file in each form, and checks the bytes at its URL and its record. */
function testUploads(app: TestApp, environment: Environment, rows: readonly [form: Form, size: number][]) {
  it.each(rows)('saves a file: %s of %i bytes', async (form, size) => {
    const saved = (await environment.run(save, { form, size, name: '报告 1.bin' })) as Saved
    const { status, bytes, type } = await fetched(saved.url)
    expect([status, type]).toEqual([200, 'application/octet-stream'])
    expect(bytes.equals(bytesFrom(0, size))).toBe(true)
    const { body } = await app.request('GET', `/1.1/files/${saved.id}`, { master: true })
    expect(body).toMatchObject({ name: '报告 1.bin', url: saved.url, metaData: { size } })
  })
}

/**
 * Declares the file cases of a version of leancloud-storage as tests, in the place where it runs.
 * @param open opens a new place for each app
 * @param providers additional providers to test besides the default
 */
export async function testFiles(
  client: StorageVersion,
  where: string,
  open: () => Environment | Promise<Environment>,
  { usual, uploads }: FileForms,
  providers: readonly string[],
): Promise<void> {
  const { version, major, init } = client
  const clientOf = async ({ url, appId, appKey, masterKey }: TestApp, master = false) => {
    const environment = await open()
    await environment.run(init, { url, appId, appKey, ...(master && { masterKey }) })
    return environment
  }

  describe(`files of leancloud-storage ${version} ${where}`, async () => {
    const app = await appWith({})
    const environment = await clientOf(app)
    const saved = async (given: Given) =>
      (await environment.run(save, { form: usual, size: 100, name: 'a.bin', ...given })) as Saved
    const record = async (id: string) => (await app.request('GET', `/1.1/files/${id}`, { master: true })).body

    testUploads(app, environment, uploads(client, null))

    it('a file keeps its MIME type, metadata and ACL', async () => {
      const user = await app.makeUser('owner')
      const custom = { color: '黑', list: [1, { two: 2 }] }
      const { id, type, url } = await saved({ name: '猫.txt', type: 'text/x-cat', custom, owner: user.id })
      if (type !== null) expect(type).toBe('text/x-cat')
      expect(await record(id)).toMatchObject({ name: '猫.txt', mime_type: 'text/x-cat', metaData: custom })
      expect((await app.request('GET', `/1.1/files/${id}`)).status).toBe(403)
      expect((await app.request('GET', `/1.1/files/${id}`, { session: user.session })).body).toMatchObject({ url })
      expect((await fetched(url)).type).toContain('text/x-cat')
    })

    it('a file belongs to the user that saves it', async () => {
      const { id, session } = await app.makeUser('somebody')
      await environment.run((AV, { token }) => AV.User.become(token).then(() => null), { token: session })
      const file = await saved({ name: 'mine.bin' })
      await environment.run(async (AV) => void (await AV.User.logOut()), {})
      expect((await record(file.id)).metaData.owner).toBe(id)
    })

    it('a file in an object can be fetched, included and queried', async () => {
      const file = await saved({ name: '附件.bin' })
      const result = await environment.run(
        async (AV, { id }) => {
          const owner = new AV.Object('Attachment')
          await owner.save({ file: AV.File.createWithoutData(id) })
          const [found] = await new AV.Query('Attachment').include('file').find()
          const one = await AV.File.createWithoutData(id).fetch()
          const same = await new AV.Query('Attachment').equalTo('file', AV.File.createWithoutData(id)).count()
          const shown = found.get('file')
          return [
            shown instanceof AV.File,
            shown.id,
            shown.url(),
            shown.name(),
            shown.size(),
            one.url(),
            one.name(),
            same,
          ]
        },
        { id: file.id },
      )
      expect(result).toEqual([true, file.id, file.url, '附件.bin', 100, file.url, '附件.bin', 1])
    })

    it('a thumbnail has the requested size', async () => {
      const content = [...(await pictureOf(300, 200))]
      const { id, url } = await saved({ content, name: 'cat.png' })
      const thumbnails = (await environment.run(
        async (AV, given) => {
          const file = await AV.File.createWithoutData(given.id).fetch()
          return [file.thumbnailURL(60, 60), file.thumbnailURL(50, 40, 80, false, 'jpg')]
        },
        { id },
      )) as string[]
      expect(await sizeOf(thumbnails[0]!)).toEqual({ format: 'png', width: 60, height: 40 })
      // Before version 3 the client always scales a thumbnail into its box.
      expect(await sizeOf(thumbnails[1]!)).toEqual({ format: 'jpeg', width: 50, height: major < 3 ? 33 : 40 })
      expect(await sizeOf(url)).toEqual({ format: 'png', width: 300, height: 200 })
    })

    it('only the master key deletes a file', async () => {
      const { id, url } = await saved({})
      const destroy: Work = (AV, given, { codeOf }) => codeOf(AV.File.createWithoutData(given.id).destroy())
      expect(await environment.run(destroy, { id })).toBe(403)
      expect((await fetched(url)).status).toBe(200)
      // The builds for pages and mini-programs do not support the master key.
      if (usual !== 'buffer') await app.request('DELETE', `/1.1/files/${id}`, { master: true })
      else {
        const administrator = await clientOf(app, true)
        await administrator.run((AV) => AV.Cloud.useMasterKey() ?? null, {})
        expect(await administrator.run(destroy, { id })).toBe(null)
      }
      expect((await fetched(url)).status).toBe(404)
      expect(await record(id)).toEqual({})
    })

    it('a file of a type the app rejects is refused and stores nothing', async () => {
      const small = await appWith({ maxSize: 10 })
      const saving = (await clientOf(small)).run(save, { form: usual, size: 100, name: 'large.bin' })
      await expect(Promise.resolve(saving)).rejects.toThrow()
      const { body } = await small.request('GET', '/1.1/files', { master: true })
      expect(body.results).toEqual([])
    })

    if (version === '4.15.2' && usual === 'buffer') {
      it('the master key chooses the key of a file', async () => {
        const administrator = await clientOf(app, true)
        const options = { key: '头像/chosen.bin', useMasterKey: true }
        const { url } = (await administrator.run(save, { form: usual, size: 100, name: 'a.bin', options })) as Saved
        expect(new URL(url).pathname).toBe(`/files/${app.appId}/${encodeURIComponent('头像')}/chosen.bin`)
        expect((await fetched(url)).bytes.equals(bytesFrom(0, 100))).toBe(true)
      })
    }

    if (major >= 3) {
      it('a file keeps its name in its URL on request', async () => {
        const { url } = await saved({ name: 'my report.bin', options: { keepFileName: true } })
        expect(url).toMatch(/\/my%20report\.bin$/)
        expect((await fetched(url)).bytes.equals(bytesFrom(0, 100))).toBe(true)
      })
    }
  })

  for (const provider of providers) {
    describe(`files of leancloud-storage ${version} ${where}, uploaded in the form of ${provider}`, async () => {
      const app = await appWith({ provider })
      testUploads(app, await clientOf(app), uploads(client, provider))
    })
  }
}
