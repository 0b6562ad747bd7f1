import { apns } from './apns/apns.ts'
import { fcm } from './fcm/fcm.ts'
import { hms } from './hms/hms.ts'
import { honor } from './honor/honor.ts'
import { mz } from './meizu/meizu.ts'
import { mi } from './mi/mi.ts'
import { oppo } from './oppo/oppo.ts'
import { vivo } from './vivo/vivo.ts'

/** All push providers. Their settings, names and counters are derived from this list. */
export const PROVIDERS = [apns, hms, honor, mi, mz, oppo, vivo, fcm] as const

type Listed = (typeof PROVIDERS)[number]
type ListedVendor = Extract<Listed, { readonly vendor: string }>

/** Vendors that installations can name. */
export const VENDORS: readonly ListedVendor[] = PROVIDERS.filter((provider) => provider.vendor !== null)

export type ProviderName = Listed['name']
export type Vendor = ListedVendor['name']
/** How a device is reached: by a provider, or over its connection to Homeport (`own`). */
export type Channel = ProviderName | 'own'
