import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { has } from '../../values/json.ts'
import { endpoint } from './endpoint.ts'
import { lcApple } from './lc-apple.ts'
import { lcQqapp, lcWeapp, miniProgramWithoutSettings } from './mini-program.ts'
import type { Platform, PlatformData } from './platform.ts'
import type { PlatformSettings } from './platform-settings.ts'
import { qq } from './qq.ts'
import { weibo } from './weibo.ts'
import { weixin } from './weixin.ts'

/** The data of platforms by their names. */
export type PlatformsData = { readonly [platform: string]: PlatformData }

export interface CheckOptions {
  /** Timeout of each request to a platform, in milliseconds. */
  readonly timeout?: number
  /** Logs platforms that give no usable response. */
  readonly log?: Log
}

const TIMEOUT = 5_000

/**
 * Verifies the authData of a client with each platform that the app has a check for, in parallel. The data of other
 * platforms is returned unchanged.
 * @returns the data to store, by platform
 * @throws ApiError 250, 251, 252 or 511, see `Platform`; the first of them when several checks fail
 */
export async function checkPlatforms(
  settings: PlatformSettings,
  authData: PlatformsData,
  { timeout = TIMEOUT, log }: CheckOptions = {},
): Promise<PlatformsData> {
  const checked = Object.entries(authData).map(async ([name, data]): Promise<[string, PlatformData]> => {
    try {
      return [name, await checkOne(checksOf(name, settings, timeout), data)]
    } catch (error) {
      if (error instanceof ApiError && error.cause !== undefined)
        log?.warn({ platform: name, reason: error.cause }, 'login platform response not usable')
      throw error
    }
  })
  return Object.fromEntries(await Promise.all(checked))
}

/** Returns whether the app has a check for a platform. */
export function isChecked(settings: PlatformSettings, name: string): boolean {
  return has(settings.endpoints, name) || builtInCheck(name, settings, TIMEOUT) !== undefined
}

/** Returns whether the app has a check for any platform. */
export function checksAny({ endpoints, ...builtIn }: PlatformSettings): boolean {
  return Object.keys(endpoints).length > 0 || Object.values(builtIn).some((setting) => setting !== undefined)
}

/** Runs the checks in order, each on the data returned by the previous one. */
async function checkOne(checks: readonly Platform[], data: PlatformData): Promise<PlatformData> {
  let checked = data
  for (const check of checks) checked = await check.check(checked)
  return checked
}

function checksOf(name: string, settings: PlatformSettings, timeout: number): Platform[] {
  const own = has(settings.endpoints, name) ? settings.endpoints[name] : undefined
  const builtIn = builtInCheck(name, settings, timeout)
  if (!own) return builtIn ? [builtIn] : withoutSettings(name)
  const ownCheck = endpoint(name, own, timeout)
  return builtIn ? [builtIn, ownCheck] : [ownCheck]
}

function builtInCheck(name: string, settings: PlatformSettings, timeout: number): Platform | undefined {
  switch (name) {
    case 'weixin':
      return settings.weixin && weixin(settings.weixin, timeout)
    case 'qq':
      return settings.qq && qq(settings.qq, timeout)
    case 'weibo':
      return settings.weibo && weibo(settings.weibo, timeout)
    case 'lc_apple':
      return settings.lc_apple && lcApple(settings.lc_apple, timeout)
    case 'lc_weapp':
      return settings.lc_weapp && lcWeapp(settings.lc_weapp, timeout)
    case 'lc_qqapp':
      return settings.lc_qqapp && lcQqapp(settings.lc_qqapp, timeout)
    default:
      return undefined
  }
}

function withoutSettings(name: string): Platform[] {
  return name === 'lc_weapp' || name === 'lc_qqapp' ? [miniProgramWithoutSettings(name)] : []
}
