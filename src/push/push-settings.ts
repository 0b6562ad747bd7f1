import { z } from 'zod'
import { PROVIDERS } from './providers/all.ts'

type ProviderSettings = { readonly [Provider in (typeof PROVIDERS)[number] as Provider['name']]: Provider['settings'] }

const providers = Object.fromEntries(PROVIDERS.map(({ name, settings }) => [name, settings])) as ProviderSettings

/**
 * Settings for the pushes of an app, including credentials of the providers (docs/architecture.md, Management; protocol/push,
 * Push).
 */
export const pushSettings = z
  .strictObject({
    restrictClientPush: z
      .boolean()
      .default(true)
      .describe('Only requests with the master key can push. Otherwise every client can push to every device.'),
    limits: z
      .strictObject({
        calls: z.int().min(1).default(600),
        devicesPerDay: z.int().min(1).nullable().default(null).describe('Per day in UTC. Empty: no limit.'),
        scheduled: z.int().min(1).default(1000),
      })
      .prefault({}),
    ...providers,
  })
  .prefault({})

export type PushSettings = z.infer<typeof pushSettings>
