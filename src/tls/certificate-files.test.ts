import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MadeCertificate, makeCertificate } from '../../test/support/made-certificate.ts'
import { type Line, recordedLog } from '../../test/support/recorded-log.ts'
import { CertificateFiles } from './certificate-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'homeport-certificates-'))
afterAll(() => rmSync(directory, { recursive: true }))
const certFile = join(directory, 'cert.pem')
const keyFile = join(directory, 'key.pem')
let [first, second]: MadeCertificate[] = []
let lines: Line[]

beforeAll(async () => {
  first = await makeCertificate(['api.example.org'])
  second = await makeCertificate(['api.example.org'])
})
beforeEach(() => {
  lines = []
})

function write({ cert, key }: MadeCertificate, [certPath, keyPath] = [certFile, keyFile]): void {
  writeFileSync(certPath!, cert)
  writeFileSync(keyPath!, key)
}

/** Opens files that are only checked when the test does so. */
async function open(paths = { certFile, keyFile }, names: readonly string[] = []) {
  const files = await CertificateFiles.open({
    ...paths,
    names,
    log: recordedLog(lines).log,
    checkIntervalMs: 3_600_000,
  })
  files.stop()
  return files
}

const texts = () => lines.map(([, text]) => text)

describe('certificate files', () => {
  it('are used once they have changed', async () => {
    write(first!)
    const files = await open()
    const changed = vi.fn()
    files.onChange(changed)
    await files.check()
    expect(changed).not.toHaveBeenCalled()
    write(second!)
    await files.check()
    expect(changed).toHaveBeenCalledTimes(1)
    expect(files.pairFor().cert).toBe(second!.cert)
    expect(texts()).toEqual(['certificate files reloaded'])
  })

  it('are used once a symbolic link to their folder was replaced, as certbot and Kubernetes do', async () => {
    const [one, other] = [join(directory, 'one'), join(directory, 'other')]
    for (const [path, pair] of [
      [one, first!],
      [other, second!],
    ] as const) {
      mkdirSync(path)
      write(pair, [join(path, 'cert.pem'), join(path, 'key.pem')])
    }
    const link = join(directory, 'current')
    symlinkSync(one, link)
    const files = await open({ certFile: join(link, 'cert.pem'), keyFile: join(link, 'key.pem') })
    expect(files.pairFor().cert).toBe(first!.cert)
    symlinkSync(other, `${link}.new`)
    renameSync(`${link}.new`, link)
    await files.check()
    expect(files.pairFor().cert).toBe(second!.cert)
  })

  it('stay in use while changed ones are invalid, which is logged once if it lasts', async () => {
    write(first!)
    const files = await open()
    writeFileSync(certFile, second!.cert)
    await files.check()
    // The key may follow within moments.
    expect(texts()).toEqual([])
    for (let check = 0; check < 5; check++) await files.check()
    expect(texts()).toEqual(['reading changed certificate files failed, previous certificate stays in use'])
    expect(files.pairFor().cert).toBe(first!.cert)
    expect(files.status()[0]!.lastError!.reason).toContain('does not belong to the certificate')
    rmSync(keyFile)
    for (let check = 0; check < 3; check++) await files.check()
    expect(files.status()[0]!.lastError!.reason).toContain(`the file ${keyFile} cannot be read: ENOENT`)
    write(second!)
    await files.check()
    expect(files.status()[0]!.lastError).toBeNull()
    expect(files.pairFor().cert).toBe(second!.cert)
    expect(JSON.stringify(lines)).not.toContain('PRIVATE KEY')
  })

  it('are refused at the start with one line', async () => {
    write({ cert: first!.cert, key: second!.key })
    await expect(open()).rejects.toThrow(/^The TLS certificate .* is invalid: .*does not belong[^\n]*$/)
    await expect(open({ certFile, keyFile: join(directory, 'missing') })).rejects.toThrow(
      `--tls-key: the file ${join(directory, 'missing')} cannot be read: ENOENT.`,
    )
  })

  it('are reported when they are expired or lack a host name', async () => {
    const from = new Date(Date.now() - 2 * 86_400_000)
    write(await makeCertificate(['api.example.org'], { from }))
    const files = await open(undefined, ['api.example.org', 'files.example.org'])
    expect(lines).toContainEqual([{ names: ['files.example.org'] }, 'the certificate does not cover these host names'])
    expect(texts()).toContain('the certificate has expired')
    expect(files.status()[0]!.daysLeft).toBeLessThan(0)
  })
})
