import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { isRedisUrl } from './bus/redis-url.ts'
import { parseDatabaseUrl } from './database/database-url.ts'
import { isProxyRange, NEARBY_PROXIES } from './proxies.ts'
import { APP_ID_RULE, isAppId, isKey, KEY_RULE } from './values/secrets.ts'

/** What the program was told, from flags, environment and file; checked once, then trusted. */
export interface Config {
  readonly port: number
  readonly host: string
  /** Absolute path of the data directory. */
  readonly data: string
  /** null: the embedded database in the data directory */
  readonly databaseUrl: string | null
  /** One server, or nodes of a cluster separated by commas; null: nodes tell each other by the database, if at all */
  readonly redisUrl: string | null
  /** null: mail is written to `<data>/outbox` */
  readonly smtpUrl: string | null
  /** Where clients reach the server, without a trailing slash; null: taken from each request */
  readonly publicUrl: string | null
  /** Whose word about a request counts (proxies.ts); none is nobody's */
  readonly trustedProxies: readonly string[]
  /** An app that must exist with exactly these credentials. */
  readonly app: {
    readonly id: string
    readonly appKey: string
    readonly masterKey: string
    readonly hookKey: string | undefined
  } | null
  readonly adminToken: string | null
  /** Ranges from which the administrator's token counts; none: from everywhere */
  readonly adminAddresses: readonly string[]
  /** Connections that one address may have at a time; 0: any number */
  readonly connectionsPerAddress: number
  /** Requests without a right key that one address may make in a second; 0: any number */
  readonly unprovedRequests: number
  readonly logLevel: string
  /** Milliseconds after which a query ends with error 124. */
  readonly queryTimeout: number
  /** Connections to the database in all. */
  readonly databaseConnections: number
  /** Milliseconds for which a server that was told to stop goes on serving while `/health` says so. */
  readonly shutdownDelay: number
}

/** Every fault of the configuration at once, a line for each. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

interface Option {
  readonly environment: string
  readonly help: string
}

/** The options: each is a flag of `start`, an environment variable and a member of `homeport.config.json`. */
export const OPTIONS = {
  port: { environment: 'HOMEPORT_PORT', help: 'port to listen on (default 3000; 0 takes a free one)' },
  host: { environment: 'HOMEPORT_HOST', help: 'address to listen on (default 0.0.0.0)' },
  data: { environment: 'HOMEPORT_DATA', help: 'data directory (default ./data)' },
  databaseUrl: {
    environment: 'HOMEPORT_DATABASE_URL',
    help: 'your own PostgreSQL 15 or later, instead of the embedded one',
  },
  redisUrl: { environment: 'HOMEPORT_REDIS_URL', help: 'Redis between several nodes, redis://host:6379' },
  smtpUrl: { environment: 'HOMEPORT_SMTP_URL', help: 'mail server, smtp://user:password@host:port' },
  publicUrl: { environment: 'HOMEPORT_PUBLIC_URL', help: 'URL under which clients reach this server' },
  trustedProxies: {
    environment: 'HOMEPORT_TRUSTED_PROXIES',
    help: `proxies whose X-Forwarded-* headers count: addresses and ranges with commas, or none (default ${NEARBY_PROXIES.join(',')})`,
  },
  adminAddresses: {
    environment: 'HOMEPORT_ADMIN_ADDRESSES',
    help: "addresses and ranges with commas from which the administrator's token counts (default: from everywhere)",
  },
  connectionsPerAddress: {
    environment: 'HOMEPORT_CONNECTIONS_PER_ADDRESS',
    help: 'connections that one address may have at a time, proxies aside (default 4000; 0 for any number)',
  },
  unprovedRequests: {
    environment: 'HOMEPORT_UNPROVED_REQUESTS',
    help: 'requests without a right key that one address may make in a second (default 1000; 0 for any number)',
  },
  logLevel: { environment: 'HOMEPORT_LOG_LEVEL', help: 'debug, info, warn, error or silent (default info)' },
  queryTimeout: {
    environment: 'HOMEPORT_QUERY_TIMEOUT',
    help: 'milliseconds after which a query ends with error 124 (default 10000)',
  },
  databaseConnections: {
    environment: 'HOMEPORT_DATABASE_CONNECTIONS',
    help: 'connections to the database (default 24)',
  },
  shutdownDelay: {
    environment: 'HOMEPORT_SHUTDOWN_DELAY',
    help: 'milliseconds for which a stopping server still serves while /health says 503 (default 3000 with --database-url, else 0)',
  },
} as const satisfies Record<string, Option>

/** What only the environment and the file can say: secrets have no place on a command line. */
const SECRETS = {
  appId: 'HOMEPORT_APP_ID',
  appKey: 'HOMEPORT_APP_KEY',
  masterKey: 'HOMEPORT_MASTER_KEY',
  hookKey: 'HOMEPORT_HOOK_KEY',
  adminToken: 'HOMEPORT_ADMIN_TOKEN',
} as const

const PROXIES_RULE = 'must be addresses or ranges such as 10.1.0.0/16, or loopback, linklocal, uniquelocal, or none'

const url = (protocols: RegExp, example: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.test(text), `must be a URL such as ${example}`)
const databaseUrl = z.string().superRefine((text, context) => {
  try {
    parseDatabaseUrl(text)
  } catch (error) {
    const example = 'postgresql://user:password@host:5432/homeport, with commas between several hosts'
    context.addIssue(`must be a URL such as ${example}: ${(error as Error).message}`)
  }
})
const count = (minimum: number, maximum: number) => {
  const rule = `must be a whole number from ${minimum} to ${maximum}`
  return z.coerce.number(rule).int(rule).min(minimum, rule).max(maximum, rule)
}
const proxies = z
  .union([z.string().transform((text) => text.split(',')), z.array(z.string())], PROXIES_RULE)
  .transform((ranges) => ranges.map((range) => range.trim()))
  .transform((ranges) => (ranges.length === 1 && ranges[0] === 'none' ? [] : ranges))
  .refine((ranges) => ranges.every(isProxyRange), PROXIES_RULE)
const key = z.string().refine(isKey, KEY_RULE).optional()

const shape = z.strictObject({
  port: count(0, 65535).default(3000),
  host: z.string().min(1).default('0.0.0.0'),
  data: z.string().min(1).default('./data'),
  databaseUrl: databaseUrl.optional(),
  redisUrl: z
    .string()
    .refine(isRedisUrl, 'must be a URL such as redis://host:6379, or redis://host1:6379,host2:6379 for a cluster')
    .optional(),
  smtpUrl: url(/^smtps?:/, 'smtp://user:password@host:587').optional(),
  publicUrl: url(/^https?:/, 'https://api.example.org').optional(),
  trustedProxies: proxies.default([...NEARBY_PROXIES]),
  adminAddresses: proxies.default([]),
  connectionsPerAddress: count(0, 1_000_000).default(4000),
  unprovedRequests: count(0, 1_000_000).default(1000),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  queryTimeout: count(100, 600_000).default(10_000),
  databaseConnections: count(4, 500).default(24),
  shutdownDelay: count(0, 600_000).optional(),
  appId: z.string().refine(isAppId, APP_ID_RULE).optional(),
  appKey: key,
  masterKey: key,
  hookKey: key,
  adminToken: z.string().min(16, 'must have at least 16 characters').optional(),
})

const SHUTDOWN_DELAY = 3000

type Values = Record<string, unknown>

/**
 * Reads the configuration: flags win over environment, environment over `homeport.config.json` in the working directory.
 * @throws ConfigError with all faults
 */
export function readConfig(flags: Values, environment: NodeJS.ProcessEnv, file = 'homeport.config.json'): Config {
  const values = { ...fromFile(file), ...fromEnvironment(environment), ...withoutUndefined(flags) }
  const parsed = shape.safeParse(values)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => fault(issue)))
  const config = parsed.data
  const app = appOf(config)
  return {
    port: config.port,
    host: config.host,
    data: resolve(config.data),
    databaseUrl: config.databaseUrl ?? null,
    redisUrl: config.redisUrl ?? null,
    smtpUrl: config.smtpUrl ?? null,
    publicUrl: config.publicUrl?.replace(/\/+$/, '') ?? null,
    trustedProxies: config.trustedProxies,
    app,
    adminToken: config.adminToken ?? null,
    adminAddresses: config.adminAddresses,
    connectionsPerAddress: config.connectionsPerAddress,
    unprovedRequests: config.unprovedRequests,
    logLevel: config.logLevel,
    queryTimeout: config.queryTimeout,
    databaseConnections: config.databaseConnections,
    // Where there may be other servers a load balancer has to hear of it; a lone one need not wait.
    shutdownDelay: config.shutdownDelay ?? (config.databaseUrl ? SHUTDOWN_DELAY : 0),
  }
}

function appOf({ appId, appKey, masterKey, hookKey }: z.infer<typeof shape>): Config['app'] {
  if ([appId, appKey, masterKey, hookKey].every((value) => value === undefined)) return null
  if (appId === undefined || appKey === undefined || masterKey === undefined) {
    throw new ConfigError([
      'HOMEPORT_APP_ID, HOMEPORT_APP_KEY and HOMEPORT_MASTER_KEY go together, with or without HOMEPORT_HOOK_KEY: set all three or none.',
    ])
  }
  if (appKey === masterKey || hookKey === appKey || hookKey === masterKey)
    throw new ConfigError(['HOMEPORT_APP_KEY, HOMEPORT_MASTER_KEY and HOMEPORT_HOOK_KEY must differ from each other.'])
  return { id: appId, appKey, masterKey, hookKey }
}

function fromFile(file: string): Values {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new ConfigError([`${file} cannot be read: ${(error as Error).message}`])
  }
  try {
    const values: unknown = JSON.parse(text)
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) return values as Values
  } catch {
    // Reported below, like a file that holds something else.
  }
  throw new ConfigError([`${file} must hold a JSON object.`])
}

function fromEnvironment(environment: NodeJS.ProcessEnv): Values {
  const names = [
    ...Object.entries(OPTIONS).map(([key, option]) => [key, option.environment] as const),
    ...Object.entries(SECRETS),
  ]
  return withoutUndefined(Object.fromEntries(names.map(([key, variable]) => [key, environment[variable] || undefined])))
}

function withoutUndefined(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function fault(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown option: ${issue.keys.join(', ')}`
  const key = String(issue.path[0])
  const option = OPTIONS[key as keyof typeof OPTIONS] as Option | undefined
  const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const name = option ? `--${flag} (${option.environment})` : (SECRETS[key as keyof typeof SECRETS] ?? key)
  return `${name}: ${issue.message}`
}
