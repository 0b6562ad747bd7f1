import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { meizuRoutes } from './stand-in-vendors-meizu.ts'
import { miRoutes } from './stand-in-vendors-mi.ts'
import { hmsRoutes, honorRoutes } from './stand-in-vendors-oauth.ts'
import { oppoRoutes } from './stand-in-vendors-oppo.ts'
import {
  type Fault,
  newState,
  type Route,
  VENDOR_SETTINGS,
  type VendorName,
  type VendorState,
} from './stand-in-vendors-state.ts'
import { vivoRoutes } from './stand-in-vendors-vivo.ts'

/** The push services of the Android vendors at one URL, with the credentials of `VENDOR_SETTINGS`. */
export interface StandInVendors {
  readonly url: string
  readonly vendors: Readonly<Record<VendorName, VendorState>>
  stop(): Promise<void>
}

/** Returns the push settings of an app for the stand-ins. */
export function standInSettings(url: string) {
  const { hms, honor, mi, mz, oppo, vivo } = VENDOR_SETTINGS
  return {
    hms: { _default: { ...hms, url, tokenUrl: `${url}/hms/oauth2/v3/token` } },
    honor: { _default: { ...honor, url, tokenUrl: `${url}/honor/auth/token` } },
    mi: { _default: { ...mi, url } },
    mz: { _default: { ...mz, url } },
    oppo: { _default: { ...oppo, url } },
    vivo: { _default: { ...vivo, url } },
  }
}

/**
 * Starts the stand-ins. For separate processes they serve `GET /counts`: by vendor the calls, the devices reached, and those
 * reached more than once.
 */
export async function startStandInVendors(port = 0): Promise<StandInVendors> {
  const vendors = {
    hms: newState(),
    honor: newState(),
    mi: newState(),
    mz: newState(),
    oppo: newState(),
    vivo: newState(),
  }
  const routes = new Map<string, { readonly state: VendorState; readonly route: Route; readonly isToken: boolean }>()
  const add = (state: VendorState, own: Readonly<Record<string, Route>>) => {
    const isToken = (path: string) => /(token|auth)$/.test(path)
    for (const [path, route] of Object.entries(own)) routes.set(path, { state, route, isToken: isToken(path) })
  }
  add(vendors.hms, hmsRoutes(vendors.hms))
  add(vendors.honor, honorRoutes(vendors.honor))
  add(vendors.mi, miRoutes(vendors.mi))
  add(vendors.mz, meizuRoutes(vendors.mz))
  add(vendors.oppo, oppoRoutes(vendors.oppo))
  add(vendors.vivo, vivoRoutes(vendors.vivo))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    if (path === '/counts') return json(counts(vendors))(response)
    const found = routes.get(path)
    if (!found || request.method !== 'POST') return html(404)(response)
    const body = await text(request)
    const { state, route, isToken } = found
    const fault = (isToken ? state.tokenFaults : state.faults).shift()
    if (fault) return fault(response)
    if (!isToken && state.answers.length > 0) return json(state.answers.shift())(response)
    json(route({ path, headers: request.headers, body }))(response)
  }
  // Callers can disconnect during a request, or send unexpected requests.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  // Only the client closes idle connections: otherwise a request in transit could be lost.
  server.keepAliveTimeout = 0
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    vendors,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function counts(vendors: StandInVendors['vendors']) {
  const entries = Object.entries(vendors).map(([name, { delivered, batches }]) => {
    const twice = [...delivered.values()].filter((times) => times > 1).length
    return [name, { calls: batches.length, devices: delivered.size, twice }] as const
  })
  return Object.fromEntries(entries)
}

export const json =
  (content: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Fault =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(content))

export const html =
  (status: number, headers: Readonly<Record<string, string>> = {}): Fault =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<html>No such luck</html>')

/** Accepts the call and never responds. */
export const hang: Fault = () => {}

/** Resets the connection. */
export const reset: Fault = (response) => void response.socket?.resetAndDestroy()

/** Sends an endless response. */
export const endless: Fault = (response) => {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more)
  more()
}
