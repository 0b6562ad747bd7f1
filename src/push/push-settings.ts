import { z } from 'zod'
import { PROVIDERS } from './providers/all.ts'

type ProviderSettings = { readonly [Provider in (typeof PROVIDERS)[number] as Provider['name']]: Provider['settings'] }

const providers = Object.fromEntries(PROVIDERS.map(({ name, settings }) => [name, settings])) as ProviderSettings

/**
 * Settings of an app's pushes, credentials of the providers among them (docs/architecture.md, Management;
 * protocol/push, Push).
 */
export const pushSettings = z
  .strictObject({
    /** Only who has the master key may push (protocol/push, Request). */
    restrictClientPush: z.boolean().default(true),
    limits: z
      .strictObject({
        /** Calls in a minute. */
        calls: z.int().min(1).default(600),
        /** Devices in a day (UTC); null: no limit. */
        devicesPerDay: z.int().min(1).nullable().default(null),
        /** Scheduled pushes that wait. */
        scheduled: z.int().min(1).default(1000),
      })
      .prefault({}),
    ...providers,
  })
  .prefault({})

export type PushSettings = z.infer<typeof pushSettings>
