import { z } from 'zod'
import type { Log } from '../../log.ts'
import type { Provider } from './provider.ts'

/** The profile of devices that name none. */
export const DEFAULT_PROFILE = '_default'

/** A name of credentials, which `deviceProfile` of an installation chooses (protocol/push, Installation fields). */
const profileName = z.string().regex(/^(_default|[A-Za-z][A-Za-z0-9_]{0,63})$/, 'is no profile name')

/** What may be set by the name of a profile. */
export const byProfile = <Settings extends z.ZodType>(settings: Settings) =>
  z
    .record(profileName, settings)
    .default({})
    .describe('By the name of the profile; `_default` serves devices that name none.')

/** All that the rest of push knows of a provider. */
export interface ProviderDescriptor<
  Name extends string = string,
  Vendor extends string | null = string | null,
  Settings extends z.ZodType = z.ZodType,
  Credentials extends object = object,
> {
  /** Of its settings, `push.<name>`, of its object in `data` where it is a vendor, and of its number in tallies. */
  readonly name: Name
  /** How its devices name it as their `vendor`, compared as written; null where something else leads to it. */
  readonly vendor: Vendor
  /** What notification records call the number of devices that it took. */
  readonly successes: `${string}Successes`
  readonly settings: Settings
  /** Reasons that are about the device alone, at which it looks when it has let the sender in; null: none are. */
  readonly aboutTheDevice: RegExp | null
  /** What it is opened with for a profile, and anew when that changes; undefined when it cannot be. */
  credentials(settings: z.infer<Settings>, profile: string): Credentials | undefined
  open(credentials: Credentials, profile: string, log: Log): Provider
}

/** What vendors differ in. */
interface Vendor<Name extends string, Spelling extends string, Credentials extends z.ZodType<object>> {
  readonly name: Name
  readonly vendor: Spelling
  readonly successes: `${string}Successes`
  readonly aboutTheDevice?: RegExp | null
  /** What has to be set for one profile. */
  readonly credentials: Credentials
  open(credentials: z.infer<Credentials>, log: Log): Provider
}

/** The descriptor of a vendor of Android devices: each profile has credentials of its own. */
export function vendorDescriptor<Name extends string, Spelling extends string, Credentials extends z.ZodType<object>>({
  name,
  vendor,
  successes,
  aboutTheDevice = null,
  credentials,
  open,
}: Vendor<Name, Spelling, Credentials>) {
  const settings = byProfile(credentials)
  return {
    name,
    vendor,
    successes,
    aboutTheDevice,
    settings,
    credentials: (settings, profile) => (Object.hasOwn(settings, profile) ? settings[profile] : undefined),
    open: (credentials, _profile, log) => open(credentials, log),
  } satisfies ProviderDescriptor<Name, Spelling, typeof settings, z.infer<Credentials>>
}
