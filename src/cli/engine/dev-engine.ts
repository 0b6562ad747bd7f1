import { appPath, type Management } from '../management.ts'

type Environment = 'production' | 'staging'
type Urls = { readonly [environment in Environment]?: string }

/** An engine that serves an app temporarily. */
export interface DevEngine {
  /** The environments that it serves. */
  readonly environments: readonly Environment[]
  /** Restores the previous URLs, unless they were changed meanwhile. */
  end(): Promise<void>
}

/**
 * Registers an engine for an app: always for staging, which code in development calls; for production only if there is no engine
 * yet, because clients call it.
 * @param url base URL of the engine
 * @param replaces whether it also replaces a production engine
 */
export async function useDevEngine(
  { request }: Management,
  appId: string,
  url: string,
  replaces: boolean,
): Promise<DevEngine> {
  const path = appPath(appId)
  const engines = async () => ((await request('GET', `${path}/settings`)) as { engine: Urls }).engine
  const set = (engine: { readonly [environment in Environment]?: string | null }) =>
    request('PATCH', `${path}/settings`, { engine })
  const before = await engines()
  const isFree = before.production === undefined || before.production === url
  const environments: Environment[] = isFree || replaces ? ['staging', 'production'] : ['staging']
  await set(Object.fromEntries(environments.map((environment) => [environment, url])))
  return {
    environments,
    async end() {
      const now = await engines()
      const ours = environments.filter((environment) => now[environment] === url)
      // If the URL was already this one, it is a leftover of a killed run.
      const former = (environment: Environment) => (before[environment] === url ? null : (before[environment] ?? null))
      await set(Object.fromEntries(ours.map((environment) => [environment, former(environment)])))
    },
  }
}
