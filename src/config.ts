import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import {
  flagOf,
  holdsSecret,
  isSecret,
  OPTIONS,
  type OptionName,
  type OptionValues,
  variableOf,
} from './config-options.ts'
import { isOfService, unknownVariables } from './environment-variables.ts'
import { nearestName } from './nearest-name.ts'

/** The configuration from flags, environment and file, checked once at the start. */
export interface Config
  extends Omit<OptionValues, 'appId' | 'appKey' | 'masterKey' | 'hookKey' | 'shutdownDelay' | 'port' | 'httpPort'> {
  readonly port: number
  /** Port that redirects plain HTTP; null: none. */
  readonly httpPort: number | null
  /** Whether the server serves TLS on `port`. */
  readonly isTls: boolean
  /** Absolute path of the data directory. */
  readonly data: string
  /** An app that must exist with exactly these credentials. */
  readonly app: {
    readonly id: string
    readonly appKey: string
    readonly masterKey: string
    readonly hookKey: string | undefined
  } | null
  /** Whether the operator has configured trusted proxies; otherwise the default ones are trusted. */
  readonly namesProxies: boolean
  /** Milliseconds for which a stopping server continues to serve while `/health` reports that it stops. */
  readonly shutdownDelay: number
}

/** All faults of the configuration, one per line. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

const names = Object.keys(OPTIONS) as OptionName[]
const shape = z.strictObject(Object.fromEntries(names.map((name) => [name, OPTIONS[name].schema])))

const SHUTDOWN_DELAY = 3000

type Given = Record<string, unknown>

/**
 * Reads the configuration: flags take precedence over the environment, which takes precedence over `homeport.config.json` in the
 * working directory.
 * @throws ConfigError with all faults
 */
export function readConfig(flags: Given, environment: NodeJS.ProcessEnv, file = 'homeport.config.json'): Config {
  const given = { ...fromFile(file), ...fromEnvironment(environment), ...withoutUndefined(flags) }
  const parsed = shape.safeParse(given)
  const faults = [
    ...unknownVariables(environment, names.map(variableOf)),
    ...names.filter((name) => holdsSecret(name, flags[name])).map(secretOnCommandLine),
    ...(parsed.error?.issues ?? []).map((issue) => fault(issue)),
  ]
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults)
  const { appId, appKey, masterKey, hookKey, ...options } = parsed.data as OptionValues
  const values = { ...options, ...listening(options) }
  if (
    values.filesPublicUrl !== null &&
    values.publicUrl !== null &&
    isSameHost(values.filesPublicUrl, values.publicUrl)
  )
    throw new ConfigError(['--files-public-url must name another host or port than --public-url.'])
  if (values.walArchive === 'on' && values.databaseUrl !== null)
    throw new ConfigError(['--wal-archive requires the embedded database. Use pgBackRest to archive an external one.'])
  if (values.walArchive === 'on' && process.platform === 'win32')
    throw new ConfigError(['--wal-archive is not supported on Windows.'])
  if (values.backupPassphrase !== null && values.backupPassphraseFile !== null)
    throw new ConfigError(['HOMEPORT_BACKUP_PASSPHRASE and --backup-passphrase-file must not both be set.'])
  return {
    ...values,
    data: resolve(values.data),
    namesProxies: given.trustedProxies !== undefined,
    app: appOf({ appId, appKey, masterKey, hookKey }),
    // With possible other servers, a load balancer must notice the stop; a lone server need not wait.
    shutdownDelay: values.shutdownDelay ?? (values.databaseUrl ? SHUTDOWN_DELAY : 0),
  }
}

type Listening = Pick<Config, 'port' | 'httpPort' | 'isTls' | 'publicUrl' | 'filesPublicUrl'>

const PORTS = { plain: 3000, https: 443, http: 80 }

/** Returns the ports and URLs, whose defaults depend on `--domain`. @throws ConfigError when options contradict each other */
function listening(options: Omit<OptionValues, keyof Credentials>): Listening {
  const { domain, tlsCert, tlsKey, acmeKeyId, acmeHmacKey } = options
  const [name, filesName] = domain
  const isTls = name !== undefined || tlsCert !== null
  const port = options.port ?? (name === undefined ? PORTS.plain : PORTS.https)
  const httpPort = options.httpPort ?? (name === undefined ? 'none' : PORTS.http)
  if ((tlsCert === null) !== (tlsKey === null))
    throw new ConfigError(['--tls-cert and --tls-key must both be set, or none of them.'])
  if ((acmeKeyId === null) !== (acmeHmacKey === null))
    throw new ConfigError(['--acme-key-id and HOMEPORT_ACME_HMAC_KEY must both be set, or none of them.'])
  if (!isTls && httpPort !== 'none')
    throw new ConfigError(['--http-port requires --domain or --tls-cert. Without TLS, --port serves plain HTTP.'])
  if (httpPort === port && port !== 0) throw new ConfigError(['--http-port must differ from --port.'])
  // A port that the system selects is unknown before the server listens.
  const urlOf = (host: string | undefined) =>
    host === undefined || port === 0 ? null : `https://${host}${port === PORTS.https ? '' : `:${port}`}`
  return {
    port,
    httpPort: httpPort === 'none' ? null : httpPort,
    isTls,
    publicUrl: options.publicUrl ?? urlOf(name),
    filesPublicUrl: options.filesPublicUrl ?? urlOf(filesName),
  }
}

function isSameHost(one: string, other: string): boolean {
  return new URL(one).host === new URL(other).host
}

type Credentials = Pick<OptionValues, 'appId' | 'appKey' | 'masterKey' | 'hookKey'>

function appOf({ appId, appKey, masterKey, hookKey }: Credentials): Config['app'] {
  if ([appId, appKey, masterKey, hookKey].every((value) => value === null)) return null
  if (appId === null || appKey === null || masterKey === null) {
    throw new ConfigError([
      'HOMEPORT_APP_ID, HOMEPORT_APP_KEY and HOMEPORT_MASTER_KEY must all be set, or none of them. HOMEPORT_HOOK_KEY is optional.',
    ])
  }
  if (appKey === masterKey || hookKey === appKey || hookKey === masterKey)
    throw new ConfigError(['HOMEPORT_APP_KEY, HOMEPORT_MASTER_KEY and HOMEPORT_HOOK_KEY must differ from each other.'])
  return { id: appId, appKey, masterKey, hookKey: hookKey ?? undefined }
}

function fromFile(file: string): Given {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new ConfigError([`${file} cannot be read: ${(error as Error).message}`])
  }
  try {
    const values: unknown = JSON.parse(text)
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) return values as Given
  } catch {
    // Reported below, like a file that holds another value.
  }
  throw new ConfigError([`${file} must contain a JSON object.`])
}

function fromEnvironment(environment: NodeJS.ProcessEnv): Given {
  return withoutUndefined(Object.fromEntries(names.map((name) => [name, valueIn(environment, variableOf(name))])))
}

function valueIn(environment: NodeJS.ProcessEnv, variable: string): string | undefined {
  const value = environment[variable]
  return value && !isOfService(variable, value) ? value : undefined
}

function withoutUndefined(values: Given): Given {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Returns the fault of an option whose flag holds a secret. */
export function secretOnCommandLine(name: OptionName): string {
  return `${flagOf(name)}: secrets must not be passed on the command line, which all users of the machine can read. Set ${variableOf(name)} instead.`
}

function fault(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown option: ${issue.keys.map(withNearest).join(', ')}`
  const name = issue.path[0] as OptionName
  const shown = isSecret(name) ? variableOf(name) : `${flagOf(name)} (${variableOf(name)})`
  return `${shown}: ${issue.message}`
}

function withNearest(name: string): string {
  const meant = nearestName(name, names)
  return meant ? `${name} (did you mean ${meant}?)` : name
}
