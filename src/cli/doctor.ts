import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Command } from 'commander'
import type pg from 'pg'
import { type Config, readConfig } from '../config.ts'
import { runningServer } from '../data-directory.ts'
import { Connection } from '../database/connection.ts'
import { parseDatabaseUrl } from '../database/database-url.ts'
import { findPostgresBinaries } from '../database/embedded/postgres-binaries.ts'
import { Servers } from '../database/servers.ts'
import { checkSessions } from '../database/session-mode.ts'
import { DiskReserve } from '../disk-reserve.ts'
import { fileStoreLocation, openBlobs } from '../files/blobs/open-blobs.ts'
import { createLog } from '../log.ts'
import { SearchServer } from '../search/server/search-server.ts'
import { addOptions } from './options.ts'

interface Finding {
  readonly level: 'ok' | 'warning' | 'error'
  readonly text: string
}

const MINIMUM_NODE = [20, 19] as const
const MINIMUM_DATABASE = 150_000
const LITTLE_SPACE = 2 * 1024 ** 3

/** `homeport doctor` checks the machine and the configuration for problems that would prevent the server from working. */
export function doctorCommand(): Command {
  const command = new Command('doctor').description('Check this machine and the configuration.')
  return addOptions(command, [
    'data',
    'databaseUrl',
    'redisUrl',
    'filesUrl',
    'diskReserve',
    'searchUrl',
    'publicUrl',
    'trustedProxies',
    'adminAddresses',
  ]).action(async (flags: Record<string, unknown>) => {
    const findings = await examine(readConfig(flags, process.env))
    for (const { level, text } of findings) process.stdout.write(`${level.padEnd(8)} ${text}\n`)
    if (findings.some(({ level }) => level === 'error')) process.exitCode = 1
  })
}

async function examine(config: Config): Promise<Finding[]> {
  const database = config.databaseUrl ? await examineDatabase(config.databaseUrl) : await examineBinaries(config.data)
  return [
    examineNode(),
    ...examineDirectory(config),
    ...database,
    ...(await examineFiles(config)),
    ...(await examineSearch(config)),
    ...examinePictures(config.data),
    ...examineServer(config.data),
    ...examineUrls(config),
    ...examineProxies(config),
  ]
}

function examineNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const enough = major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])
  return {
    level: enough ? 'ok' : 'error',
    text: `Node ${process.versions.node}${enough ? '' : `; Homeport requires ${MINIMUM_NODE.join('.')} or later`}`,
  }
}

function examineDirectory({ data, diskReserve }: Config): Finding[] {
  let existing = data
  while (!existsSync(existing)) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK)
  } catch {
    return [{ level: 'error', text: `the data directory ${data} is not writable` }]
  }
  const { bavail, blocks, bsize } = statfsSync(existing)
  const free = bavail * bsize
  const shown = `${gigabytes(free)} free in the data directory ${data}`
  const reserve = new DiskReserve({ size: diskReserve }).of(blocks * bsize)
  if (free < reserve)
    return [{ level: 'warning', text: `${shown}: uploads are rejected below ${gigabytes(reserve)} (--disk-reserve)` }]
  return [{ level: free < LITTLE_SPACE ? 'warning' : 'ok', text: shown }]
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`
}

async function examineBinaries(data: string): Promise<Finding[]> {
  try {
    const binaries = await findPostgresBinaries(join(data, 'postgres-libraries'))
    return [{ level: 'ok', text: `embedded PostgreSQL at ${dirname(binaries.postgres)}` }]
  } catch (error) {
    return [{ level: 'error', text: (error as Error).message }]
  }
}

async function examineDatabase(url: string): Promise<Finding[]> {
  const servers = new Servers(parseDatabaseUrl(url))
  const connect = () => new Connection({ servers, settings: {}, connectionTimeoutMillis: 5000 }).connect()
  let client: pg.Client | undefined
  try {
    client = await connect()
    const { rows } = await client.query<{
      version: string
      encoding: string
      collation: string
      writable: boolean
      may_create: boolean
      cube: boolean
    }>(`
      SELECT current_setting('server_version_num') AS version,
        current_setting('server_encoding') AS encoding,
        datcollate AS collation,
        current_setting('transaction_read_only') = 'off' AS writable,
        has_database_privilege(current_database(), 'CREATE') AS may_create,
        EXISTS (SELECT FROM pg_available_extensions WHERE name = 'cube') AS cube
      FROM pg_database WHERE datname = current_database()`)
    const found = rows[0]!
    await checkSessions(connect)
    const check = (good: boolean, level: 'warning' | 'error', text: string): Finding => ({
      level: good ? 'ok' : level,
      text,
    })
    return [
      check(Number(found.version) >= MINIMUM_DATABASE, 'error', `PostgreSQL ${found.version}; 15 or later is required`),
      check(found.encoding === 'UTF8', 'error', `database encoding ${found.encoding}; UTF8 is required`),
      check(
        /^(C|POSIX|C\.UTF-?8)$/i.test(found.collation),
        'warning',
        `database collation ${found.collation}; C or C.UTF-8 sorts strings by code point, as LeanCloud does`,
      ),
      check(found.writable, 'error', `database writable: ${found.writable ? 'yes' : 'no'}`),
      check(found.may_create, 'error', `database user can create schemas: ${found.may_create ? 'yes' : 'no'}`),
      check(
        found.cube,
        'error',
        `PostgreSQL extension cube (package postgresql-contrib): ${found.cube ? 'available' : 'missing'}`,
      ),
    ]
  } catch (error) {
    return [{ level: 'error', text: `cannot connect to the database: ${(error as Error).message}` }]
  } finally {
    await client?.end().catch(() => {})
    servers.stop()
  }
}

async function examineFiles(config: Config): Promise<Finding[]> {
  const location = fileStoreLocation(config)
  const findings: Finding[] = []
  // The data directory and its parents are created by the first start, not by this check.
  if (config.filesUrl === null && location.kind === 'folder' && !existsSync(location.path))
    findings.push({ level: 'ok', text: `files: will be stored in the folder ${location.path}` })
  else
    try {
      const blobs = await openBlobs(config, createLog('silent'))
      await blobs.check()
      findings.push({ level: 'ok', text: `files: stored in the ${blobs.description}` })
    } catch (error) {
      findings.push({ level: 'error', text: (error as Error).message })
    }
  const mayHaveOthers = config.databaseUrl !== null || config.redisUrl !== null
  if (mayHaveOthers && location.kind === 'folder' && !relative(config.data, location.path).startsWith('..'))
    findings.push({
      level: 'warning',
      text: 'files are stored in the data directory of this machine: several nodes need a shared folder (--files-url file:///…) or S3',
    })
  return findings
}

async function examineSearch({ searchUrl, queryTimeout }: Config): Promise<Finding[]> {
  if (searchUrl === null) return []
  const server = new SearchServer({ url: searchUrl, timeout: queryTimeout, log: createLog('silent') })
  try {
    return [{ level: 'ok', text: `search server: ${await server.describe()}` }]
  } catch (error) {
    return [{ level: 'error', text: `cannot use the search server: ${(error as Error).message}` }]
  }
}

/** Checks the cache of picture variants, which is in the data directory of each machine, wherever the files are stored. */
function examinePictures(data: string): Finding[] {
  const folder = join(data, 'pictures')
  if (!existsSync(folder)) return []
  try {
    if (!statSync(folder).isDirectory()) throw new Error('it is a file')
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return [{ level: 'ok', text: `image cache: ${folder}` }]
  } catch {
    const text = `image cache: ${folder} must be a writable folder; without it, each image is processed again for each request`
    return [{ level: 'warning', text }]
  }
}

function examineServer(data: string): Finding[] {
  const running = runningServer(data)
  return [
    {
      level: 'ok',
      text: running ? `server: running, process ${running.pid}, ${running.url ?? 'starting'}` : 'server: not running',
    },
  ]
}

function examineUrls(config: Config): Finding[] {
  const findings: Finding[] = []
  if (!config.publicUrl)
    findings.push({
      level: 'warning',
      text: 'no public URL is set (--public-url): links in mail lead to localhost, and messaging clients connect to the host that trusted proxies report',
    })
  else if (config.publicUrl.startsWith('http:'))
    findings.push({
      level: 'warning',
      text: `the public URL ${config.publicUrl} is http: messaging connections are unencrypted (ws)`,
    })
  if (!config.smtpUrl)
    findings.push({ level: 'warning', text: 'no mail server is set (--smtp-url): mail is written to <data>/outbox' })
  return findings
}

/** Checks the trusted proxies. Chats fail behind a TLS proxy that is not trusted. */
function examineProxies({ trustedProxies, namesProxies, adminAddresses }: Config): Finding[] {
  const shown = trustedProxies.join(', ') || 'none'
  const findings: Finding[] = [
    { level: 'ok', text: `trusted proxies: ${shown}; X-Forwarded-* and Forwarded from other addresses are ignored` },
  ]
  const restricts = '--admin-addresses and security.masterKeyAddresses'
  if (!namesProxies && adminAddresses.length > 0)
    findings.push({
      level: 'warning',
      text: `--admin-addresses is set and --trusted-proxies is not: ${restricts} only trust proxies named in --trusted-proxies; name the proxies in front of this server, or set it to none`,
    })
  else if (namesProxies && adminAddresses.length > 0 && trustedProxies.some(isWideRange))
    findings.push({
      level: 'warning',
      text: `each machine in ${trustedProxies.filter(isWideRange).join(', ')} can claim any address for ${restricts}: name only the addresses of your proxies`,
    })
  return findings
}

/** Returns whether a range contains more than a few machines besides this one. */
function isWideRange(range: string): boolean {
  if (range === 'linklocal' || range === 'uniquelocal') return true
  const [address, bits] = range.split('/')
  return bits !== undefined && /^\d+$/.test(bits) && Number(bits) < (address!.includes(':') ? 112 : 17)
}
