import { z } from 'zod'
import type { Log } from '../../log.ts'
import type { Provider } from './provider.ts'

/** The profile of devices that name none. */
export const DEFAULT_PROFILE = '_default'

/** A name of credentials, selected by `deviceProfile` of an installation (protocol/push, Installation fields). */
const profileName = z.string().regex(/^(_default|[A-Za-z][A-Za-z0-9_]{0,63})$/, 'must be a profile name')

/** Returns the schema of settings per profile. */
export const byProfile = <Settings extends z.ZodType>(settings: Settings) =>
  z
    .record(profileName, settings)
    .default({})
    .describe('By profile name. `_default` is used for devices without a profile.')

/** Describes a provider to the rest of the push code. */
export interface ProviderDescriptor<
  Name extends string = string,
  Vendor extends string | null = string | null,
  Settings extends z.ZodType = z.ZodType,
  Credentials extends object = object,
> {
  /** Names its settings (`push.<name>`), its counter in tallies and, for a vendor, its object in `data`. */
  readonly name: Name
  /** The `vendor` of its installations, case-sensitive; null when another field selects the provider. */
  readonly vendor: Vendor
  /** Name of its success counter in notification records. */
  readonly successes: `${string}Successes`
  readonly settings: Settings
  /** Matches reasons that concern only the device, so the sender was accepted; null: there are none. */
  readonly aboutTheDevice: RegExp | null
  /** Returns the credentials for a profile; undefined when there are none. The provider is reopened when they change. */
  credentials(settings: z.infer<Settings>, profile: string): Credentials | undefined
  open(credentials: Credentials, profile: string, log: Log): Provider
}

/** The differences between vendors. */
interface Vendor<Name extends string, Spelling extends string, Credentials extends z.ZodType<object>> {
  readonly name: Name
  readonly vendor: Spelling
  readonly successes: `${string}Successes`
  readonly aboutTheDevice?: RegExp | null
  /** Schema of the credentials of one profile. */
  readonly credentials: Credentials
  open(credentials: z.infer<Credentials>, log: Log): Provider
}

/** Returns the descriptor of an Android vendor: each profile has separate credentials. */
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
