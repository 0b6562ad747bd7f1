import findMyWay from 'find-my-way'
import { errors } from '../errors.ts'
import type { Method, Route } from './route.ts'

export interface Match<R = Route> {
  readonly route: R
  readonly params: { readonly [name: string]: string }
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Finds endpoints of calls that are not HTTP requests: items of a batch, calls in a text/plain body or for an
 * administrator. Requests are routed by Fastify, with the same library. A trailing slash is ignored.
 */
export class EndpointTable {
  readonly #routes: readonly Route[]
  #paths: Paths | undefined

  constructor(routes: readonly Route[]) {
    this.#routes = routes
  }

  /**
   * Finds an endpoint.
   * @param path without a query
   * @returns null for a path or method without an endpoint
   */
  readonly lookUp = (method: string, path: string): Match | null => {
    // Built with the first call, to keep the start of the server fast.
    this.#paths ??= pathsOf(this.#routes)
    const found = this.#paths.find(method as Method, versioned(path))
    return found && { route: found.store as Route, params: found.params as Match['params'] }
  }

  /**
   * Finds an endpoint.
   * @throws ApiError with status 404 for an unknown path, 405 for a known one with another method
   */
  find(method: string, path: string): Match {
    return this.lookUp(method, path) ?? this.#refuse(method, versioned(path))
  }

  #refuse(method: string, path: string): never {
    const allowed = METHODS.filter((other) => this.lookUp(other, path))
    const shown = path.slice(0, 200)
    if (allowed.length > 0)
      throw errors.methodNotAllowed(`${method} is not allowed for ${shown}; allowed: ${allowed.join(', ')}.`)
    const meant = likelyPaths(path).find((other) => METHODS.some((any) => this.lookUp(any, other)))
    throw errors.notFound(
      `Path ${shown} not found.${meant === undefined ? '' : ` Did you mean ${meant.slice(0, 200)}?`}`,
    )
  }
}

type Paths = ReturnType<typeof findMyWay>

function pathsOf(routes: readonly Route[]): Paths {
  const paths = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 4096 })
  for (const route of routes) paths.on(route.method, route.path, () => {}, route)
  return paths
}

/** Returns a path or URL with `/1.1/` in place of `/1/`, which early SDKs use. */
export function versioned(path: string): string {
  return path.startsWith('/1/') ? `/1.1/${path.slice(3)}` : path
}

/** Returns the path of a URL, without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/**
 * Returns similar paths that the client may have meant: base URLs often end with a slash or a version, or the version
 * is missing.
 */
function likelyPaths(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '')
  const [first = '', second = ''] = parts
  const isDoubled = (first === '1.1' || first === '1.2') && second.startsWith('1')
  const once = isDoubled ? parts.slice(1) : parts
  return [parts, once, ['1.1', ...parts], ['1.2', ...parts]]
    .map((others) => `/${others.join('/')}`)
    .filter((other) => other !== path)
}
