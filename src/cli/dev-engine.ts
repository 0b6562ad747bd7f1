import { appPath, type Management } from './management.ts'

type Environment = 'production' | 'staging'
type Urls = { readonly [environment in Environment]?: string }

/** An engine that serves an app for a while. */
export interface DevEngine {
  /** What it serves. */
  readonly environments: readonly Environment[]
  /** Puts back what was there before, unless somebody else has changed it meanwhile. */
  end(): Promise<void>
}

/**
 * Makes an engine that of an app: for staging always, because code that is being worked on calls back so; for production
 * where there is none yet, because clients call that one.
 * @param url base URL of the engine
 * @param replaces whether it takes the place of a production engine too
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
      // A URL that was this one is left over from a run that was killed.
      const former = (environment: Environment) => (before[environment] === url ? null : (before[environment] ?? null))
      await set(Object.fromEntries(ours.map((environment) => [environment, former(environment)])))
    },
  }
}
