import type { Log } from '../../log.ts'
import type { Channel, Provider, Vendor } from '../provider.ts'
import type { Providers } from '../push.ts'
import type { PushSettings } from '../push-settings.ts'
import { apnsProvider } from './apns/apns.ts'
import { fcmProvider } from './fcm/fcm.ts'
import { hmsProvider } from './hms/hms.ts'
import { honorProvider } from './honor/honor.ts'
import { meizuProvider } from './meizu/meizu.ts'
import { miProvider } from './mi/mi.ts'
import { oppoProvider } from './oppo/oppo.ts'
import { vivoProvider } from './vivo/vivo.ts'

/** The profile of devices that name none. */
const DEFAULT_PROFILE = '_default'

interface Opened {
  /** The settings that it was opened with, as JSON. */
  readonly settings: string
  readonly provider: Provider
}

/** The providers of one app, opened at their first use, and anew when their settings change. */
export class OpenedProviders implements Providers {
  readonly #settings: () => PushSettings
  readonly #log: Log
  readonly #opened = new Map<string, Opened>()

  constructor(settings: () => PushSettings, log: Log) {
    this.#settings = settings
    this.#log = log
  }

  /** Whether there are credentials of any vendor: else devices with vendors are reached over the own channel. */
  get hasVendors(): boolean {
    const settings = this.#settings()
    return VENDORS.some((vendor) => Object.keys(settings[vendor]).length > 0)
  }

  /** @returns null when there are no credentials for it */
  find(channel: Exclude<Channel, 'own'>, profile: string | null): Provider | null {
    const settings = this.#settings()
    const name = profile || DEFAULT_PROFILE
    const own = channel === 'apns' ? apnsSettings(settings) : ownSettings(settings[channel], name)
    if (!own) return null
    const key = `${channel} ${name}`
    const text = JSON.stringify(own)
    const opened = this.#opened.get(key)
    if (opened?.settings === text) return opened.provider
    opened?.provider.close()
    const provider = open(settings, channel, name, this.#log)
    this.#opened.set(key, { settings: text, provider })
    return provider
  }

  close(): void {
    for (const { provider } of this.#opened.values()) provider.close()
    this.#opened.clear()
  }
}

const VENDORS: readonly Vendor[] = ['fcm', 'hms', 'honor', 'mi', 'mz', 'oppo', 'vivo']

function ownSettings(profiles: Readonly<Record<string, object>>, name: string): object | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

function apnsSettings({ apns }: PushSettings): object | undefined {
  return Object.keys(apns.keys).length + Object.keys(apns.certificates).length > 0 ? apns : undefined
}

/** There are settings for it. */
function open(settings: PushSettings, channel: Exclude<Channel, 'own'>, profile: string, log: Log): Provider {
  switch (channel) {
    case 'apns':
      return apnsProvider(settings.apns, profile === DEFAULT_PROFILE ? null : profile, log)
    case 'fcm':
      return fcmProvider(settings.fcm[profile]!, log)
    case 'hms':
      return hmsProvider(settings.hms[profile]!, log)
    case 'honor':
      return honorProvider(settings.honor[profile]!, log)
    case 'mi':
      return miProvider(settings.mi[profile]!, log)
    case 'mz':
      return meizuProvider(settings.mz[profile]!, log)
    case 'oppo':
      return oppoProvider(settings.oppo[profile]!, log)
    case 'vivo':
      return vivoProvider(settings.vivo[profile]!, log)
  }
}
