import findMyWay from 'find-my-way'
import { errors } from '../errors.ts'
import type { Method, Route } from './route.ts'

export interface Match {
  readonly route: Route
  readonly params: { readonly [name: string]: string }
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Finds the endpoint of a method and path; a trailing slash makes no difference. */
export class Router {
  readonly #ways = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 4096 })

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#ways.on(route.method, route.path, () => {}, route)
  }

  /** @throws ApiError with status 404 for an unknown path, 405 for a known one with another method */
  find(method: string, path: string): Match {
    const found = this.#ways.find(method as Method, path)
    if (found) return { route: found.store as Route, params: found.params as Match['params'] }
    const allowed = METHODS.filter((other) => this.#ways.find(other, path))
    const shown = path.slice(0, 200)
    if (allowed.length > 0)
      throw errors.methodNotAllowed(`${method} is not possible on ${shown}; it takes ${allowed.join(', ')}.`)
    const meant = likelyPaths(path).find((other) => METHODS.some((any) => this.#ways.find(any, other)))
    throw errors.notFound(
      `There is nothing at ${shown}.${meant === undefined ? '' : ` Did you mean ${meant.slice(0, 200)}?`}`,
    )
  }
}

/** What a path may have been meant as: addresses of servers end with a slash or a version, or the version is missing. */
function likelyPaths(path: string): string[] {
  const plain = path.replace(/\/{2,}/g, '/')
  const once = plain.replace(/^(\/1\.[12])(?=\/1\.?)/, '')
  return [plain, once, `/1.1${plain}`, `/1.2${plain}`].filter((other) => other !== path)
}
