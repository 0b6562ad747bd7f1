import { z } from 'zod'
import { secret } from '../../../settings-schema.ts'
import { pem, server, text } from '../credential-schemas.ts'
import { byProfile } from '../descriptor.ts'

export const apnsSettings = z
  .strictObject({
    /** Signing keys (`.p8`) by the id of the team. */
    keys: z
      .record(
        z.string().regex(/^[A-Za-z0-9]{1,32}$/, 'is no team id'),
        z.strictObject({
          keyId: text,
          privateKey: secret(pem),
          /** Bundle ids of the team: devices that name no team are found by them. */
          topics: z.array(text).max(100).default([]),
        }),
      )
      .default({}),
    /** Certificates by the name of the profile; `_default` serves devices without one. */
    certificates: byProfile(
      z.strictObject({
        certificate: pem,
        privateKey: secret(pem),
        passphrase: secret(text).optional(),
        /** The bundle id; needed where a certificate serves several. */
        topic: text.optional(),
        environment: z.enum(['dev', 'prod']).default('prod'),
      }),
    ),
    /** For devices that name no bundle id. */
    defaultTopic: text.optional(),
    servers: z
      .strictObject({
        prod: server('https://api.push.apple.com'),
        dev: server('https://api.sandbox.push.apple.com'),
      })
      .prefault({}),
    /** Certificate of an authority to trust besides the usual ones, for a proxy. */
    trusted: pem.optional(),
  })
  .prefault({})

export type ApnsSettings = z.infer<typeof apnsSettings>
