import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { Cron } from 'croner'
import { z } from 'zod'
import { parseBackupRetention } from './backup-retention.ts'
import { isRedisUrl } from './bus/redis-url.ts'
import { parseDatabaseUrl } from './database/database-url.ts'
import { parseReserveSize } from './disk-reserve.ts'
import { holdsCredentials, parseFilesUrl } from './files-url.ts'
import { isMailAddress } from './mail/address.ts'
import { isProxyRange, NEARBY_PROXIES } from './proxies.ts'
import { APP_ID_RULE, isAppId, isKey, KEY_RULE } from './values/secrets.ts'

interface Option<Schema extends z.ZodType = z.ZodType> {
  /** Validates and converts a value. */
  readonly schema: Schema
  /** Description, in Markdown. */
  readonly help: string
  /** Description of the default, if it is not a plain value. */
  readonly otherwise?: string
  /** Whether it is a secret. Secrets are not accepted on a command line, which all users of the machine can read. */
  readonly secret?: true
  /**
   * Returns whether a value holds a secret, for options where only some do. Such a value is not accepted on a command line
   * either.
   */
  readonly holdsSecret?: (value: string) => boolean
}

export const DEFAULT_UNPROVED_REQUESTS = 1000

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'
/** Each host name gets its own certificate, and certificate authorities limit orders. */
const MAX_DOMAINS = 10
const HOST_NAME = /^(?=.{1,253}$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/

const PROXIES_RULE = 'must be addresses or ranges such as 10.1.0.0/16, or loopback, linklocal, uniquelocal, or none'

const url = (protocols: RegExp, example: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.test(text), `must be a URL such as ${example}`)
const databaseUrl = z.string().superRefine((text, context) => {
  try {
    parseDatabaseUrl(text)
  } catch (error) {
    const example = 'postgresql://user:password@host:5432/homeport, with several hosts separated by commas'
    context.addIssue(`must be a URL such as ${example}: ${(error as Error).message}`)
  }
})
const filesUrl = z.string().superRefine((text, context) => {
  try {
    parseFilesUrl(text)
  } catch (error) {
    const examples = 's3://bucket/prefix?region=eu-central-1 or file:///shared/files'
    context.addIssue(`must be a URL such as ${examples}: ${(error as Error).message}`)
  }
})
const backupUrl = z.string().superRefine((text, context) => {
  try {
    parseFilesUrl(text)
  } catch (error) {
    const examples = 's3://bucket/prefix?region=eu-central-1 or file:///mnt/backups'
    context.addIssue(`must be a URL such as ${examples}: ${(error as Error).message}`)
  }
})
const RETENTION_RULE =
  'must be a list such as 3,7d,4w,12m: the newest 3, and the newest of each of 7 days, 4 weeks and 12 months'
const backupKeep = z
  .string()
  .default('3,7d,4w')
  .transform((text, context) => {
    const retention = parseBackupRetention(text)
    if (retention === null) context.addIssue(RETENTION_RULE)
    return retention ?? z.NEVER
  })
const searchUrl = url(/^https?:/, 'https://host:9200').refine(
  (text) => new URL(text).search === '' && new URL(text).hash === '',
  'must not contain a query or a fragment',
)
const redisUrl = z
  .string()
  .refine(isRedisUrl, 'must be a URL such as redis://host:6379, or redis://host1:6379,host2:6379 for a cluster')
const count = (minimum: number, maximum: number) => {
  const rule = `must be a whole number from ${minimum} to ${maximum}`
  return z.coerce.number(rule).int(rule).min(minimum, rule).max(maximum, rule)
}
const proxies = z
  .union([z.string().transform((text) => text.split(',')), z.array(z.string())], PROXIES_RULE)
  .transform((ranges): readonly string[] => ranges.map((range) => range.trim()))
  .transform((ranges) => (ranges.length === 1 && ranges[0] === 'none' ? [] : ranges))
  .refine((ranges) => ranges.every(isProxyRange), PROXIES_RULE)
const MAX_RECIPIENTS = 20
const ADDRESSES_RULE = `must be at most ${MAX_RECIPIENTS} mail addresses, separated by commas`
const RESERVE_RULE = 'must be a size such as 1GB, a share of the disk such as 5%, both with a comma, or 0'
const reserve = z
  .union([z.string(), z.number().transform(String)], RESERVE_RULE)
  .default('5%,1GB')
  .transform((text, context) => {
    const size = parseReserveSize(text)
    if (size === null) context.addIssue(RESERVE_RULE)
    return size ?? z.NEVER
  })
const key = z.string().refine(isKey, KEY_RULE)
const DOMAINS_RULE = `must be at most ${MAX_DOMAINS} different host names without port, separated by commas, such as api.example.org`
const domains = z
  .union([z.string().transform((text) => text.split(',')), z.array(z.string())], DOMAINS_RULE)
  // Names in other scripts are converted to their ASCII form; an invalid one becomes an empty text.
  .transform((names): readonly string[] => names.map((name) => domainToASCII(name.trim())))
  .refine((names) => names.length <= MAX_DOMAINS && new Set(names).size === names.length, DOMAINS_RULE)
  .refine((names) => names.every((name) => HOST_NAME.test(name) && isIP(name) === 0), DOMAINS_RULE)

/** Returns whether a text is a cron expression with minute, hour, day, month and weekday. */
function isSchedule(text: string): boolean {
  try {
    new Cron(text, { mode: '5-part', paused: true }).stop()
    return true
  } catch {
    return false
  }
}

/**
 * All options of the program. Each is a member of `homeport.config.json` and, by the same name, a flag of `start`
 * (`--database-url`) and an environment variable (`HOMEPORT_DATABASE_URL`). The tables in the READMEs are generated from this
 * table: `npx vitest run --project unit src/config-options.test.ts -u`.
 */
export const OPTIONS = {
  /** null: 443 with `domain`, else 3000 */
  port: optional(count(0, 65535), '`3000`, or `443` with `--domain`', 'port to listen on; `0` selects a free port'),
  host: option(z.string().min(1).default('0.0.0.0'), 'address to listen on'),
  /** Host names in ASCII and lower case; empty: plain HTTP */
  domain: option(
    domains.default([]),
    'host name of the API, and optionally of files, `api.example.org,files.example.org`, for which TLS certificates are ordered and renewed automatically. Setting it agrees to the terms of service of the certificate authority',
    'none',
  ),
  /** null: 80 with `domain`, else none */
  httpPort: optional(
    z.union([z.literal('none'), count(0, 65535)], 'must be a port from 0 to 65535, or none'),
    '`80` with `--domain`, else `none`',
    'port that redirects plain HTTP to HTTPS and responds to certificate authorities, or `none`',
  ),
  /** Path of a PEM file; null: ordered automatically, or plain HTTP */
  tlsCert: optional(
    z.string().min(1),
    'none',
    'file with a TLS certificate and its chain in PEM, instead of ordering one; it is read again when it changes',
  ),
  tlsKey: optional(z.string().min(1), 'none', 'file with the private key of `--tls-cert` in PEM'),
  acmeDirectory: option(
    url(/^https?:/, 'https://acme.example.org/directory').default(LETS_ENCRYPT),
    'ACME directory of the certificate authority for `--domain`',
  ),
  acmeEmail: optional(
    z.email('must be an e-mail address'),
    'none',
    'e-mail address that the certificate authority may write to',
  ),
  acmeKeyType: option(
    z.enum(['ecdsa', 'rsa']).default('ecdsa'),
    'key of ordered certificates: `ecdsa` (P-256), or `rsa` (2048 bits) for devices that lack root certificates with ECDSA keys',
  ),
  acmeKeyId: optional(
    z.string().min(1),
    'none',
    'key ID of the account at a certificate authority that requires external account binding',
  ),
  acmeHmacKey: secret(z.string().min(1), 'none', 'HMAC key for `--acme-key-id`, in base64url'),
  data: option(z.string().min(1).default('./data'), 'data directory: database, exports, outbox, administrator token'),
  /** null: the embedded database in the data directory */
  databaseUrl: optional(databaseUrl, 'embedded', 'external PostgreSQL 15 or later; separate several hosts with commas'),
  /** One server, or nodes of a cluster separated by commas; null: nodes communicate by the database, if at all */
  redisUrl: optional(
    redisUrl,
    'none',
    'Redis 6 or later, or Valkey, for communication between nodes, `redis://host:6379`; separate several hosts of a cluster with commas',
  ),
  /** null: `<data>/files` */
  filesUrl: {
    ...optional(
      filesUrl,
      '`<data>/files`',
      'storage of files: `s3://bucket/prefix?region=…&endpoint=https://…&pathStyle=true`, or `file:///shared/files`, an existing folder',
    ),
    holdsSecret: holdsCredentials,
  },
  /** null: the search index is in the database */
  searchUrl: {
    ...optional(
      searchUrl,
      'none',
      'Elasticsearch 7.10 or later, or OpenSearch, for full-text search, `https://user:password@host:9200`; by default PostgreSQL is used',
    ),
    holdsSecret: holdsCredentials,
  },
  /** null: mail is written to `<data>/outbox` */
  smtpUrl: optional(
    url(/^smtps?:/, 'smtp://user:password@host:587'),
    'none',
    'mail server, `smtp://user:password@host:port`; by default mail is written to `<data>/outbox/*.eml`',
  ),
  diskReserve: option(
    reserve,
    'free disk space below which uploads are rejected, so that the database can still write: a size (`1GB`), a share (`5%`), both separated by a comma, of which the smaller applies, or `0`',
    '`5%,1GB`',
  ),
  /** null: `<data>/backups` */
  backupUrl: {
    ...optional(
      backupUrl,
      '`<data>/backups`',
      'storage of backups, in the forms of `--files-url`; a folder is created if it is missing. Choose another disk or machine ([backup](backup.md))',
    ),
    holdsSecret: holdsCredentials,
  },
  /** null: only manual backups */
  backupSchedule: optional(
    z.string().refine(isSchedule, 'must be a cron expression such as `30 3 * * *`: minute, hour, day, month, weekday'),
    'none',
    'cron expression of automatic backups, in the time zone of the server: `30 3 * * *`',
  ),
  backupKeep: option(
    backupKeep,
    'backups to keep: `3,7d,4w` keeps the newest 3, and the newest of each of 7 days and 4 weeks',
    '`3,7d,4w`',
  ),
  backupPassphraseFile: optional(
    z.string().min(1),
    'none',
    'file with the passphrase that encrypts backups, as an alternative to `HOMEPORT_BACKUP_PASSPHRASE`',
  ),
  walArchive: option(
    z.enum(['on', 'off']).default('off'),
    '`on` also stores the write-ahead log of the embedded database with the backups, so that it can be restored to any time',
  ),
  /** Without a trailing slash; null: derived from each request */
  publicUrl: optional(
    url(/^https?:/, 'https://api.example.org').transform((text) => text.replace(/\/+$/, '')),
    'none, or the first host name of `--domain`',
    'URL at which clients reach this server, used in links; set it before you send mail, or links lead to `localhost`',
  ),
  /** Without a trailing slash; null: files are served at the address of the API */
  filesPublicUrl: optional(
    url(/^https?:/, 'https://files.example.org')
      .refine(
        (text) => new URL(text).pathname === '/' && new URL(text).search === '',
        'must be a URL without path and query',
      )
      .transform((text) => new URL(text).origin),
    'none, or the second host name of `--domain`',
    "URL of a second host name of this server that serves only files, `https://files.example.org`, so that users' files and the console have different origins",
  ),
  /** The proxies whose headers about the client are trusted (proxies.ts); an empty list trusts none */
  trustedProxies: option(
    proxies.default([...NEARBY_PROXIES]),
    'proxies whose `X-Forwarded-*` or `Forwarded` headers are trusted: addresses and ranges separated by commas, or `none`. The default trusts proxies on this machine and in private networks, but not for `--admin-addresses` and `security.masterKeyAddresses`: name your proxies if you set these',
  ),
  /** Empty: no restriction */
  adminAddresses: option(
    proxies.default([]),
    'addresses and ranges, separated by commas, from which administrators can connect. Also name your proxies in `--trusted-proxies`: the default proxies are not trusted for this check',
    'everywhere',
  ),
  /** null: only the administrator's token */
  metricsToken: secret(
    z.string().min(16, 'must have at least 16 characters'),
    'none',
    "token that reads `/metrics` as `Authorization: Bearer <token>`, besides the administrator's token",
  ),
  metricsAddresses: option(
    proxies.default(['loopback']),
    'addresses and ranges, separated by commas, that read `/metrics` without a token, or `none`. Requests that a proxy forwards count only if `--trusted-proxies` names it',
  ),
  alertMail: option(
    z
      .union([z.string().transform((text) => text.split(',')), z.array(z.string())], ADDRESSES_RULE)
      .default([])
      .transform((addresses): readonly string[] => addresses.map((address) => address.trim()).filter(Boolean))
      .refine((addresses) => addresses.length <= MAX_RECIPIENTS && addresses.every(isMailAddress), ADDRESSES_RULE),
    'mail addresses, separated by commas, that receive alerts; needs `--smtp-url`',
    'none',
  ),
  /** null: none */
  alertWebhook: secret(
    url(/^https?:/, 'https://example.org/hook'),
    'none',
    'URL to which alerts are posted: of a chat robot (WeCom, DingTalk, Feishu, Slack), which is recognized by its host, or of any other receiver of JSON',
  ),
  /** null: by the host of the URL */
  alertWebhookFormat: optional(
    z.enum(['json', 'slack', 'wecom', 'dingtalk', 'feishu']),
    'by the host of the URL',
    'form of the alerts that are posted: `json`, `slack`, `wecom`, `dingtalk` or `feishu`',
  ),
  alertWebhookSecret: secret(
    z.string().min(8, 'must have at least 8 characters'),
    'none',
    'secret that signs alerts: that of the robot for `dingtalk` and `feishu`; for `json`, the header `X-Homeport-Signature` is `t=<seconds>,v1=<HMAC-SHA256 of "<seconds>.<body>" in hex>`',
  ),
  alertLanguage: option(z.enum(['en', 'zh']).default('en'), 'language of alerts: `en` or `zh`'),
  /** Empty: only public addresses, and the engine on this machine */
  allowPrivateAddresses: option(
    proxies.default([]),
    'private addresses that URLs in app settings can lead to, such as engines, web hooks, SMS providers and sources of imports: addresses and ranges separated by commas, or `loopback`, `linklocal`, `uniquelocal`. Engines on this machine are always allowed',
    'none',
  ),
  /** 0: no limit; null: a share of the maximum connections of the process */
  connectionsPerAddress: optional(
    count(0, 1_000_000),
    'eight times the number of free connections',
    'maximum concurrent connections per address, except trusted proxies; `0` for no limit. How many are free depends on the limit of open files and on memory',
  ),
  /** 0: no limit */
  unprovedRequests: option(
    count(0, 1_000_000).default(DEFAULT_UNPROVED_REQUESTS),
    'maximum requests per second and address without a valid key; `0` for no limit. Requests that need no key count only while the server is short of capacity, unless this option is set',
  ),
  queryTimeout: option(
    count(100, 600_000).default(10_000),
    'milliseconds after which a query is canceled with error 124',
  ),
  databaseConnections: option(
    count(4, 500).default(24),
    'maximum connections to the database; imports use up to four more',
  ),
  /** null: see `readConfig` */
  shutdownDelay: optional(
    count(0, 600_000),
    '`3000` with `--database-url`, else `0`',
    'milliseconds for which a stopping server keeps serving while `/health` returns 503, so that load balancers notice; a second signal skips the rest',
  ),
  supervise: option(
    z.enum(['auto', 'on', 'off']).default('auto'),
    '`auto`, `on` or `off`: whether `homeport start` runs the server in a child process and restarts it when it crashes or is killed. `auto` does so unless systemd or PM2 started it, or it is the first process of a container',
  ),
  logLevel: option(
    z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    '`debug`, `info`, `warn`, `error` or `silent`. Logs are JSON Lines on standard error; the last 20 MB are kept in `<data>/logs`',
  ),
  appId: secret(
    z.string().refine(isAppId, APP_ID_RULE),
    '',
    'ID of an app that the start creates, or updates, with these keys',
  ),
  appKey: secret(key, '', 'app key of this app'),
  masterKey: secret(key, '', 'master key of this app'),
  hookKey: secret(key, 'generated', 'hook key of this app'),
  backupPassphrase: secret(
    z.string().min(12, 'must have at least 12 characters'),
    'none',
    'passphrase that encrypts backups; without it they cannot be restored',
  ),
  adminToken: secret(
    z.string().min(16, 'must have at least 16 characters'),
    'generated',
    'administrator token; by default it is generated and stored in `<data>/admin-token`',
  ),
} as const

export type OptionName = keyof typeof OPTIONS

/** The values of all options. */
export type OptionValues = { readonly [Name in OptionName]: z.output<(typeof OPTIONS)[Name]['schema']> }

export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

export function variableOf(name: string): string {
  return `HOMEPORT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** Returns the default of an option, in Markdown. */
export function defaultOf(name: OptionName): string {
  const { schema, otherwise }: Option = OPTIONS[name]
  return otherwise ?? `\`${schema.parse(undefined)}\``
}

/** Returns the help text of an option. */
export function helpOf(name: OptionName): string {
  return `${OPTIONS[name].help} (default ${defaultOf(name)})`.replaceAll('`', '')
}

/** Returns whether a value of an option holds a secret. */
export function holdsSecret(name: OptionName, value: unknown): boolean {
  return typeof value === 'string' && (OPTIONS[name] as Option).holdsSecret?.(value) === true
}

export function isSecret(name: OptionName): boolean {
  return (OPTIONS[name] as Option).secret === true
}

function option<Schema extends z.ZodType>(schema: Schema, help: string, otherwise?: string): Option<Schema> {
  return { schema, help, ...(otherwise !== undefined && { otherwise }) }
}

function optional<Schema extends z.ZodType>(schema: Schema, otherwise: string, help: string) {
  return option(
    schema.optional().transform((value) => value ?? null),
    help,
    otherwise,
  )
}

function secret<Schema extends z.ZodType>(schema: Schema, otherwise: string, help: string) {
  return { ...optional(schema, otherwise, help), secret: true as const }
}
