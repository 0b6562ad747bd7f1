import type { IncomingHttpHeaders } from 'node:http'
import type { AppRecord } from '../apps/apps.ts'
import { isSameSecret, signatureOf } from '../apps/keys.ts'
import type { RunningApp } from '../apps/running-app.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/caller.ts'
import type { ClassHook, Origin } from '../objects/hooks.ts'
import type { Server } from './server-context.ts'

/** What a request says about who makes it, from headers or from the body of a tunnelled request. */
export interface Credentials {
  readonly appId: string | undefined
  readonly key: string | undefined
  readonly masterKey: string | undefined
  readonly sign: string | undefined
  readonly session: string | undefined
  /** By which an app's cloud code proves itself (spec/hooks, 1). */
  readonly hookKey: string | undefined
  readonly production: boolean
}

/** A header under its name of today, or one of those that older SDKs send (spec/hooks, 3.2). */
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

/** Any value other than `1` means staging; production when absent (spec/1, Authentication). */
export function isProduction(value: unknown): boolean {
  return value === undefined || value === '1' || value === 'true' || value === 1 || value === true
}

/**
 * Checks the key or signature and finds out who calls. A session token of nobody leaves an anonymous caller
 * (spec/rest-details, 3.3).
 * @param clientAddress IP address
 * @throws ApiError 401
 */
export async function authenticate(
  app: RunningApp,
  credentials: Credentials,
  clientAddress: string | undefined,
): Promise<Caller> {
  const master = isMaster(app.record, credentials)
  const origin = originOf(app.record, credentials, clientAddress)
  if (!credentials.session) return { master, userId: null, grants: NO_GRANTS, origin }
  const userId = await app.accounts.sessions.userOf(credentials.session)
  if (userId === null || master) return { master, userId, grants: NO_GRANTS, origin }
  const roles = await app.roles.of(userId)
  return { master: false, userId, grants: [userId, ...roles.map((role) => `role:${role}`)], origin }
}

const NO_GRANTS: readonly string[] = []
const NO_HOOKS: ReadonlySet<ClassHook> = new Set()

/** A wrong hook key is no error: it only proves nothing (spec/hooks, 7.1). */
function originOf(app: AppRecord, { production, hookKey }: Credentials, clientAddress: string | undefined): Origin {
  const fromCloudCode = hookKey !== undefined && isSameSecret(hookKey, app.hookKey)
  return { production, clientAddress, fromCloudCode, ignored: NO_HOOKS }
}

/** Checks the administrator's token. @throws ApiError 401 */
export function checkAdmin(server: Pick<Server, 'adminToken'>, headers: IncomingHttpHeaders): void {
  const [scheme, token] = (headers.authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || !isSameSecret(token, server.adminToken))
    throw errors.unauthorized()
}

/** The app that a request names. @throws ApiError 401 when it names none, or one that does not exist */
export async function appOf({ running, apps }: Pick<Server, 'running' | 'apps'>, appId: string | undefined) {
  const app = appId === undefined ? undefined : (running.opened(appId) ?? (await running.open(appId)))
  if (!app || !apps.known(app.id)) throw errors.unauthorized()
  return app
}

/** Checks the key or signature, and nothing else. @throws ApiError 401 */
export function checkKey(app: AppRecord, credentials: Credentials): void {
  isMaster(app, credentials)
}

/** @returns whether the master key was proved; false means that the app key was. @throws ApiError 401 */
function isMaster(app: AppRecord, { key, masterKey, sign }: Credentials): boolean {
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
  if (isSameSecret(signature, signatureOf(timestamp, master ? app.masterKey : app.appKey))) return master
  throw errors.unauthorized()
}
