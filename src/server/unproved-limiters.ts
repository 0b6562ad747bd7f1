import type { Config } from '../config.ts'
import { DEFAULT_UNPROVED_REQUESTS } from '../config-options.ts'
import type { Limiter, Limiters } from '../limits/limiters.ts'

/**
 * Creates the limiters of unproved requests. Wrong keys are abuse at any load; requests that need no key only use capacity,
 * unless the operator has set a limit.
 */
export function unprovedLimiters(
  { unprovedRequests: max }: Config,
  limiters: Limiters,
): { readonly wrongKeys: Limiter | null; readonly withoutKey: Limiter | null } {
  if (max === 0) return { wrongKeys: null, withoutKey: null }
  const text = `${max} requests without a key from one address in a second`
  const wrongKeys = limiters.make({ name: 'unproved', max, seconds: 1, text })
  const withoutKey =
    max === DEFAULT_UNPROVED_REQUESTS
      ? limiters.make({ name: 'withoutKey', max, seconds: 1, text, protects: 'processor', load: 1 / max })
      : wrongKeys
  return { wrongKeys, withoutKey }
}
