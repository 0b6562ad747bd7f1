import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const directory = mkdtempSync(join(tmpdir(), 'homeport-config-'))
const file = join(directory, 'homeport.config.json')
const none = join(directory, 'missing.json')
afterAll(() => rmSync(directory, { recursive: true }))

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
  }
  return []
}

describe('configuration', () => {
  it('has defaults', () => {
    expect(readConfig({}, {}, none)).toMatchObject({
      port: 3000,
      host: '0.0.0.0',
      data: resolve('data'),
      databaseUrl: null,
      app: null,
    })
  })
  it('derives ports and URLs from --domain, unless they are set', () => {
    const domain = { domain: 'API.example.org, 文件.example.org' }
    expect(readConfig(domain, {}, none)).toMatchObject({
      domain: ['api.example.org', 'xn--5nqy36c.example.org'],
      isTls: true,
      port: 443,
      httpPort: 80,
      publicUrl: 'https://api.example.org',
      filesPublicUrl: 'https://xn--5nqy36c.example.org',
    })
    const own = { port: '8443', httpPort: 'none', publicUrl: 'https://cdn.example.org' }
    expect(readConfig({ domain: 'api.example.org', ...own }, {}, none)).toMatchObject({
      port: 8443,
      httpPort: null,
      publicUrl: 'https://cdn.example.org',
      filesPublicUrl: null,
    })
    expect(readConfig({ domain: 'api.example.org', port: '8443' }, {}, none).publicUrl).toBe(
      'https://api.example.org:8443',
    )
    expect(readConfig({ tlsCert: 'c', tlsKey: 'k' }, {}, none)).toMatchObject({
      isTls: true,
      port: 3000,
      httpPort: null,
    })
    expect(readConfig({}, {}, none)).toMatchObject({ isTls: false, port: 3000, httpPort: null, publicUrl: null })
  })
  it.each([
    '',
    'https://api.example.org',
    'api.example.org:443',
    '*.example.org',
    '192.0.2.1',
    'a,a',
    'a..b',
    '-a.org',
  ])('refuses %j as --domain', (domain) => {
    expect(faultsOf(() => readConfig({ domain }, {}, none))).toEqual([expect.stringMatching(/^--domain .*must be/)])
  })
  it.each([
    [{ tlsCert: 'c' }, /--tls-cert and --tls-key/],
    [{ httpPort: '80' }, /--http-port requires --domain/],
    [{ domain: 'a.org', port: '80' }, /--http-port must differ/],
    [{ domain: 'a.org', acmeKeyId: 'x' }, /--acme-key-id and HOMEPORT_ACME_HMAC_KEY/],
    [{ domain: 'a.org', acmeEmail: 'x' }, /--acme-email .*must be an e-mail address/],
    [{ domain: 'a.org', acmeHmacKey: 'x' }, /secrets must not be passed|HOMEPORT_ACME_HMAC_KEY/],
  ])('refuses contradicting TLS options %j', (flags, fault) => {
    expect(faultsOf(() => readConfig(flags, {}, none)).join('\n')).toMatch(fault)
  })
  it('prefers flags to the environment, and the environment to the file', () => {
    writeFileSync(file, JSON.stringify({ port: 1, host: 'file', publicUrl: 'https://file.example/' }))
    expect(readConfig({ port: '3' }, { HOMEPORT_PORT: '2', HOMEPORT_HOST: 'environment' }, file)).toMatchObject({
      port: 3,
      host: 'environment',
      publicUrl: 'https://file.example',
    })
  })
  it('reports all faults at once', () => {
    writeFileSync(file, JSON.stringify({ prot: 1 }))
    const faults = faultsOf(() =>
      readConfig({ port: 'x' }, { HOMEPORT_DATABASE_URL: 'mysql://x', HOMEPORT_ADMIN_TOKEN: 'short' }, file),
    )
    expect(faults).toHaveLength(4)
    expect(faults.join('\n')).toMatch(
      /--port.*\n.*--database-url[\s\S]*HOMEPORT_ADMIN_TOKEN[\s\S]*unknown option: prot \(did you mean port\?\)/,
    )
  })
  it.each(['redis://host', 'rediss://user:p%40ss@host:6380/3', 'redis://one:6379,two:6380,[::1]'])(
    'accepts %s as a URL of Redis',
    (redisUrl) => {
      expect(readConfig({ redisUrl }, {}, none).redisUrl).toBe(redisUrl)
    },
  )
  it.each([
    's3://my-bucket?region=eu-central-1',
    's3://KEY:sec%2Fret@my.bucket/a/b?endpoint=https://s3.example.org:9000&pathStyle=true',
    'file:///shared/files',
  ])('accepts %s as a URL of files', (filesUrl) => {
    expect(readConfig({}, { HOMEPORT_FILES_URL: filesUrl }, none).filesUrl).toBe(filesUrl)
  })
  it('rejects a secret in a URL of files on the command line, without showing it', () => {
    for (const filesUrl of ['s3://KEY:geheim@bucket', 's3://KEY:geh/eim@bucket', 's3://geheim@bucket']) {
      const faults = faultsOf(() => readConfig({ filesUrl }, {}, none))
      expect(faults[0]).toMatch(/^--files-url: secrets must not be passed on the command line.*HOMEPORT_FILES_URL/)
      expect(faults.join('\n')).not.toContain('geh')
    }
  })
  it.each<[given: unknown, ranges: string[]]>([
    [undefined, ['loopback', 'linklocal', 'uniquelocal']],
    ['10.1.0.0/16, 2001:db8::1', ['10.1.0.0/16', '2001:db8::1']],
    [
      ['loopback', '192.0.2.7'],
      ['loopback', '192.0.2.7'],
    ],
    ['none', []],
  ])('parses trusted proxies %j', (given, ranges) => {
    writeFileSync(file, JSON.stringify({ trustedProxies: given }))
    expect(readConfig({}, {}, file).trustedProxies).toEqual(ranges)
  })
  it.each(['loopback,none', '10.0.0.0/40', '1', ',', 'proxy.example', 7, {}, ['']])(
    'rejects trusted proxies %j',
    (given) => {
      writeFileSync(file, JSON.stringify({ trustedProxies: given }))
      expect(faultsOf(() => readConfig({}, {}, file))).toEqual([
        expect.stringMatching(/^--trusted-proxies \(HOMEPORT_TRUSTED_PROXIES\): must be addresses or ranges/),
      ])
    },
  )
  it('rejects an invalid URL of Redis without showing it', () => {
    const faults = faultsOf(() => readConfig({}, { HOMEPORT_REDIS_URL: 'redis://:secret@host:port' }, none))
    expect(faults).toEqual([expect.stringMatching(/^--redis-url .* must be a URL such as redis:(?!.*secret)/)])
  })
  it('requires all credentials of an app together', () => {
    expect(faultsOf(() => readConfig({}, { HOMEPORT_APP_ID: 'a' }, none))).toHaveLength(1)
    const environment = {
      HOMEPORT_APP_ID: 'a-gzGzoHsz',
      HOMEPORT_APP_KEY: 'keykeykey',
      HOMEPORT_MASTER_KEY: 'mastermaster',
    }
    expect(readConfig({}, environment, none).app).toMatchObject({ id: 'a-gzGzoHsz', appKey: 'keykeykey' })
  })
  it('rejects unknown variables of its prefix and names the probable one, without showing values', () => {
    const environment = {
      HOMEPORT_DATABSE_URL: 'postgresql://user:secret@host/homeport',
      HOMEPORT_SMTPURL: 'smtp://mail',
      HOMEPORT_COLOUR: 'red',
      HOMEPORT_EMPTY: '',
      HOMEPORT_TEST_SEED: '7',
      HOMEPORT_SOURCE_MASTER_KEY: 'key',
      HOME: '/home',
    }
    expect(faultsOf(() => readConfig({}, environment, none))).toEqual([
      'unknown environment variable HOMEPORT_DATABSE_URL; did you mean HOMEPORT_DATABASE_URL?',
      'unknown environment variable HOMEPORT_SMTPURL; did you mean HOMEPORT_SMTP_URL?',
      'unknown environment variable HOMEPORT_COLOUR',
    ])
  })
  it('ignores what Kubernetes sets for services of this name', () => {
    const environment = {
      HOMEPORT_SERVICE_HOST: '10.96.1.7',
      HOMEPORT_SERVICE_PORT: '3000',
      HOMEPORT_SERVICE_PORT_HTTP: '3000',
      HOMEPORT_PORT: 'tcp://10.96.1.7:3000',
      HOMEPORT_PORT_3000_TCP: 'tcp://10.96.1.7:3000',
      HOMEPORT_PORT_3000_TCP_ADDR: '10.96.1.7',
      HOMEPORT_REDIS_PORT: 'tcp://10.96.1.8:6379',
    }
    expect(readConfig({}, environment, none).port).toBe(3000)
  })
  it('rejects a file that is not a JSON object', () => {
    writeFileSync(file, '[1]')
    expect(faultsOf(() => readConfig({}, {}, file))).toEqual([`${file} must contain a JSON object.`])
  })
})
