import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { compileGo, go } from '../support/go.ts'

let program: string

/** Runs the checker of manifests. @throws Error with its output when a file is wrong */
async function check(
  kind: 'compose' | 'kubernetes',
  file: string,
  variables: readonly string[] = [],
): Promise<unknown> {
  return JSON.parse((await promisify(execFile)(program, [kind, file, ...variables])).stdout)
}

const temporaryDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

describe.skipIf(go === null)('manifests in deploy/', () => {
  // Compiling takes minutes on a busy machine.
  beforeAll(async () => {
    program = await compileGo(new URL('./manifests/', import.meta.url), afterAll)
  }, 600_000)

  const kubernetes = readdirSync('deploy/kubernetes').filter((file) => file.endsWith('.yaml'))
  test.each(kubernetes)('Kubernetes accepts each member of %s', async (file) => {
    expect(await check('kubernetes', `deploy/kubernetes/${file}`)).toEqual(
      expect.arrayContaining(['ConfigMap', 'Service', 'Ingress']),
    )
  })

  test('Kubernetes accepts the objects of the Sealos template', async () => {
    const file = join(temporaryDirectory(), 'objects.yaml')
    const [, ...objects] = readFileSync('deploy/platforms/sealos.yaml', 'utf8').split(/^---\n/m)
    writeFileSync(file, objects.join('---\n'))
    expect(await check('kubernetes', file)).toEqual(['Secret', 'Deployment', 'Service', 'Ingress'])
  })

  test('the checker rejects an unknown member', async () => {
    const file = join(temporaryDirectory(), 'wrong.yaml')
    writeFileSync(file, readFileSync('deploy/kubernetes/single.yaml', 'utf8').replace('readinessProbe:', 'readyProbe:'))
    await expect(check('kubernetes', file)).rejects.toThrow('readyProbe')
  })

  const secrets = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'MINIO_PASSWORD', 'ADMIN_TOKEN'].map((name) => `${name}=x`)
  test.each([
    ['alone', [], ['homeport']],
    ['tls', ['HOMEPORT_DOMAIN=api.example.org'], ['homeport']],
    ['cluster', ['DOMAIN=api.example.org', ...secrets], ['homeport-1', 'homeport-2']],
  ])(
    'Compose accepts %s, with data on volumes and an ordinary user without capabilities',
    async (size, variables, names) => {
      const directory = temporaryDirectory()
      writeFileSync(join(directory, 'compose.yaml'), readFileSync(`deploy/compose/${size}/compose.yaml`))
      writeFileSync(join(directory, '.env'), '')
      const { services } = (await check('compose', join(directory, 'compose.yaml'), variables)) as {
        services: Record<string, { cap_drop: string[]; read_only: boolean; volumes: { target: string }[] }>
      }
      for (const name of names) {
        expect(services[name]).toMatchObject({ cap_drop: ['ALL'], read_only: true })
        expect(services[name]!.volumes.map(({ target }) => target)).toContain('/var/lib/homeport')
      }
    },
  )

  test('Compose names a missing secret', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'compose.yaml'), readFileSync('deploy/compose/cluster/compose.yaml'))
    writeFileSync(join(directory, '.env'), '')
    await expect(check('compose', join(directory, 'compose.yaml'), ['DOMAIN=x'])).rejects.toThrow('see .env.example')
  })
})
