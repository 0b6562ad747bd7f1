import type { ShownApp } from '../management.ts'

/**
 * Returns the environment variables from which cloud code learns its app (protocol/cloud-code, Environment variables read by the
 * SDKs). The settings of the server are removed, because cloud code must not see the administrator's token and the keys of other
 * apps.
 * @param apiServer base URL of the server, without a trailing slash
 */
export function engineVariables(
  app: Pick<ShownApp, 'appId' | 'appKey' | 'masterKey' | 'hookKey'>,
  apiServer: string,
  port: number,
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith('HOMEPORT_'))
  return {
    ...Object.fromEntries(others),
    LEANCLOUD_APP_ID: app.appId,
    LEANCLOUD_APP_KEY: app.appKey,
    LEANCLOUD_APP_MASTER_KEY: app.masterKey,
    LEANCLOUD_APP_HOOK_KEY: app.hookKey,
    LEANCLOUD_API_SERVER: apiServer,
    LEANCLOUD_APP_PORT: String(port),
    LEANCLOUD_APP_ENV: 'development',
    // Otherwise Python's engine would trigger hooks in production.
    LEAN_CLI_HAVE_STAGING: 'true',
    LC_APP_ID: app.appId,
    LC_APP_KEY: app.appKey,
    LC_APP_MASTER_KEY: app.masterKey,
    LC_APP_PORT: String(port),
    LC_API_SERVER: apiServer,
  }
}
