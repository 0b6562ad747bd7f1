import type { IncomingMessage } from 'node:http'
import type { AppRecord } from '../../apps/apps.ts'
import { allowsOrigin, isOwnOrigin } from '../../apps/web-origins.ts'
import { ApiError } from '../../errors.ts'
import type { RunningApp } from '../../running-app/running-app.ts'
import type { Server } from '../server-context.ts'

/**
 * Error for a web page that may not call an app. `Access-Control-Allow-Origin` is omitted, so its script cannot read
 * the reason.
 */
export class OriginRefused extends ApiError {
  constructor(origin: string) {
    super(403, 403, `The web origin '${origin.slice(0, 200)}' is not allowed (security.webOrigins).`)
  }
}

/** Returns the origin of the calling web page; undefined for no page, and for pages of the server itself. */
export function foreignOrigin({ asSent }: Pick<Server, 'asSent'>, request: IncomingMessage): string | undefined {
  const { origin } = request.headers
  if (origin === undefined) return undefined
  return isOwnOrigin(origin, asSent(request).host) ? undefined : origin
}

/**
 * Rejects pages that no app allows. The app is not known yet, because preflights do not name it.
 * @throws OriginRefused
 */
export function checkAnyAllows(server: Pick<Server, 'apps' | 'asSent'>, request: IncomingMessage): void {
  if (request.headers.origin === undefined) return
  const allowed = ({ settings }: AppRecord) => allowsOrigin(settings.security.webOrigins, request.headers.origin)
  if (server.apps.some(allowed)) return
  const origin = foreignOrigin(server, request)
  if (origin !== undefined && server.apps.all().length > 0) throw new OriginRefused(origin)
}

/** @throws OriginRefused when the app does not allow the page that sent the request */
export function checkOrigin(server: Pick<Server, 'asSent'>, { record }: RunningApp, request: IncomingMessage): void {
  if (allowsOrigin(record.settings.security.webOrigins, request.headers.origin)) return
  const origin = foreignOrigin(server, request)
  if (origin !== undefined) throw new OriginRefused(origin)
}
