import type { Log } from '../log.ts'
import { PROVIDERS, type ProviderName, VENDORS } from './providers/all.ts'
import { DEFAULT_PROFILE, type ProviderDescriptor } from './providers/descriptor.ts'
import type { Provider } from './providers/provider.ts'
import type { Providers } from './push.ts'
import type { PushSettings } from './push-settings.ts'

interface Opened {
  /** The credentials that it was opened with, as JSON. */
  readonly credentials: string
  readonly provider: Provider
}

const DESCRIPTORS: ReadonlyMap<ProviderName, ProviderDescriptor> = new Map(
  PROVIDERS.map((descriptor) => [descriptor.name, descriptor]),
)

/** The providers of one app. Each is opened at its first use, and reopened when its credentials change. */
export class OpenedProviders implements Providers {
  readonly #settings: () => PushSettings
  readonly #log: Log
  readonly #opened = new Map<string, Opened>()

  constructor(settings: () => PushSettings, log: Log) {
    this.#settings = settings
    this.#log = log
  }

  /** Whether there are credentials of any vendor. Without them, devices with vendors use the built-in push channel. */
  get hasVendors(): boolean {
    const settings = this.#settings()
    return VENDORS.some(({ name }) => Object.keys(settings[name]).length > 0)
  }

  /** Returns a provider. @returns null without credentials for it */
  find(name: ProviderName, profile: string | null): Provider | null {
    const descriptor = DESCRIPTORS.get(name)!
    const profileName = profile || DEFAULT_PROFILE
    const credentials = descriptor.credentials(this.#settings()[name], profileName)
    if (!credentials) return null
    const key = `${name} ${profileName}`
    const text = JSON.stringify(credentials)
    const opened = this.#opened.get(key)
    if (opened?.credentials === text) return opened.provider
    opened?.provider.close()
    const provider = descriptor.open(credentials, profileName, this.#log)
    this.#opened.set(key, { credentials: text, provider })
    return provider
  }

  close(): void {
    for (const { provider } of this.#opened.values()) provider.close()
    this.#opened.clear()
  }
}
