import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { AppRecord } from '../apps/apps.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ClassHook, Origin } from '../objects/access/origin.ts'
import { isSentFrom, type SenderAddress, senderText } from '../proxies.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import { isSameSecret, signatureOf } from '../values/secrets.ts'
import { RequestPrincipal } from './request-principal.ts'
import type { Server } from './server-context.ts'

/** The credentials of a request, from headers or from the body of a tunneled request. */
export interface Credentials {
  readonly appId: string | undefined
  readonly key: string | undefined
  readonly masterKey: string | undefined
  readonly sign: string | undefined
  readonly session: string | undefined
  /** Proves that a request is from the app's cloud code (protocol/cloud-code, Roles and terms). */
  readonly hookKey: string | undefined
  readonly production: boolean
}

/** Returns a header by its current name, or by one of the names that older SDKs send (protocol/cloud-code, Headers). */
function header(headers: IncomingHttpHeaders, name: string, older: string, oldest: string): string | undefined {
  const value = headers[name] ?? headers[older] ?? headers[oldest]
  return typeof value === 'string' ? value : undefined
}

export function credentialsFromHeaders(headers: IncomingHttpHeaders): Credentials {
  return {
    appId: header(headers, 'x-lc-id', 'x-avoscloud-application-id', 'x-uluru-application-id'),
    key: header(headers, 'x-lc-key', 'x-avoscloud-application-key', 'x-uluru-application-key'),
    masterKey: header(headers, 'x-lc-master-key', 'x-avoscloud-master-key', 'x-uluru-master-key'),
    sign: header(headers, 'x-lc-sign', 'x-avoscloud-request-sign', 'x-uluru-request-sign'),
    session: header(headers, 'x-lc-session', 'x-avoscloud-session-token', 'x-uluru-session-token'),
    hookKey: header(headers, 'x-lc-hook-key', 'x-lc-hook-key', 'x-lc-hook-key'),
    production: isProduction(
      header(headers, 'x-lc-prod', 'x-avoscloud-application-production', 'x-uluru-application-production'),
    ),
  }
}

/**
 * Returns whether `X-LC-Prod` selects production: any value other than `1` means staging; production when absent
 * (protocol/conventions, Authentication).
 */
export function isProduction(value: unknown): boolean {
  return value === undefined || value === '1' || value === 'true' || value === 1 || value === true
}

/** The context of a request, in addition to its credentials. */
export interface Arrival {
  /** Called once the key is verified and before any expensive work, with whether the app's backend calls. */
  readonly admit: (isBackEnd: boolean) => Promise<void> | void
  /** The caller's connection. */
  readonly socket: Socket
  /** Like `refusal` of a principal. */
  readonly refusal: () => Error | undefined
  /** Returns the base URL at which the caller reaches the server. */
  readonly baseUrl: () => string
}

/**
 * Verifies the key or signature, and identifies the caller. An unknown session token yields an anonymous caller
 * (protocol/conventions, Authentication and permission failures).
 * @throws ApiError 401, 403, and what `admit` throws
 */
export async function authenticate(
  app: RunningApp,
  credentials: Credentials,
  sent: SenderAddress,
  { admit, socket, refusal, baseUrl }: Arrival,
): Promise<Caller> {
  const clientAddress = sent.address
  const master = isMaster(app.record, credentials, sent)
  const admitted = admit(master || isFromCloudCode(app.record, credentials))
  if (admitted) await admitted
  const userId = credentials.session ? await app.accounts.sessions.userOf(credentials.session) : null
  const principal = new RequestPrincipal(app.id, clientAddress, { userId, master }, socket, refusal)
  const origin = originOf(app.record, credentials, clientAddress, principal, baseUrl)
  if (userId === null || master) return { master, userId, grants: NO_GRANTS, origin }
  const roles = await app.roles.of(userId)
  return { master: false, userId, grants: [userId, ...roles.map((role) => `role:${role}`)], origin }
}

/**
 * Returns the caller for an administrator's request to an endpoint of an app: with the permissions of the master key.
 * @param looksOnly whether values that would let the administrator act are hidden from it
 * @param clientAddress IP address
 * @param socket the administrator's connection
 */
export function administratorIn(
  app: RunningApp,
  production: boolean,
  clientAddress: string,
  socket: Socket,
  baseUrl: () => string,
  looksOnly: boolean,
): Caller {
  const principal = new RequestPrincipal(app.id, clientAddress, { userId: null, master: true }, socket)
  const origin = { production, clientAddress, fromCloudCode: false, ignored: NO_HOOKS, principal, baseUrl }
  return { master: true, looksOnly, userId: null, grants: NO_GRANTS, origin }
}

const NO_GRANTS: readonly string[] = []
const NO_HOOKS: ReadonlySet<ClassHook> = new Set()

/** A wrong hook key is not an error, and proves nothing (protocol/cloud-code, Skipping hooks: __ignore_hooks). */
function isFromCloudCode(app: AppRecord, { hookKey }: Credentials): boolean {
  return hookKey !== undefined && isSameSecret(hookKey, app.hookKey)
}

function originOf(
  app: AppRecord,
  credentials: Credentials,
  clientAddress: string,
  principal: RequestPrincipal,
  baseUrl: () => string,
): Origin {
  const fromCloudCode = isFromCloudCode(app, credentials)
  return { production: credentials.production, clientAddress, fromCloudCode, ignored: NO_HOOKS, principal, baseUrl }
}

/**
 * Returns the app named in a request.
 * @throws ApiError 401 when the request names no app, or one that does not exist
 */
export async function appOf({ running, apps }: Pick<Server, 'running' | 'apps'>, appId: string | undefined) {
  const app = appId === undefined ? undefined : (running.opened(appId) ?? (await running.open(appId)))
  if (!app || !apps.known(app.id)) throw errors.unauthorized()
  return app
}

/**
 * Verifies the key or signature, and nothing else.
 * @throws ApiError 401, 403
 */
export function checkKey(app: AppRecord, credentials: Credentials, sent: SenderAddress): void {
  isMaster(app, credentials, sent)
}

/**
 * @returns whether the master key was verified; false for the app key
 * @throws ApiError 401, 403
 */
function isMaster(app: AppRecord, credentials: Credentials, sent: SenderAddress): boolean {
  const master = provesMaster(app, credentials)
  const { masterKeyAddresses } = app.settings.security
  if (master && masterKeyAddresses.length > 0 && !isSentFrom(masterKeyAddresses, sent))
    throw errors.forbidden(`The master key is not accepted from ${senderText(sent)} (security.masterKeyAddresses).`)
  return master
}

function provesMaster(app: AppRecord, { key, masterKey, sign }: Credentials): boolean {
  if (masterKey !== undefined) {
    if (isSameSecret(masterKey, app.masterKey)) return true
    throw errors.unauthorized()
  }
  if (key !== undefined) {
    const master = key.endsWith(',master')
    if (isSameSecret(master ? key.slice(0, -',master'.length) : key, master ? app.masterKey : app.appKey)) return master
    throw errors.unauthorized()
  }
  if (sign === undefined) throw errors.unauthorized()
  const [signature = '', timestamp = '', suffix] = sign.split(',')
  const master = suffix === 'master'
  if (!/^\d{1,20}$/.test(timestamp)) throw errors.unauthorized()
  if (!isSameSecret(signature, signatureOf(timestamp, master ? app.masterKey : app.appKey))) throw errors.unauthorized()
  checkAge(app, Number(timestamp))
  return master
}

/**
 * Rejects signatures whose time is too far in the past or the future, because they may have been intercepted.
 * @param time milliseconds since the epoch
 * @throws ApiError 401
 */
function checkAge({ settings }: AppRecord, time: number): void {
  const { signatureMaxAge } = settings.security
  if (signatureMaxAge > 0 && Math.abs(Date.now() - time) > signatureMaxAge * 1000)
    throw errors.unauthorized(
      `The timestamp of X-LC-Sign differs from the server's time by more than ${signatureMaxAge} seconds.`,
    )
}
