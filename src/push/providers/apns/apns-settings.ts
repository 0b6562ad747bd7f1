import { z } from 'zod'
import { secret } from '../../../settings-schema.ts'
import { pem, server, text } from '../credential-schemas.ts'
import { byProfile } from '../descriptor.ts'

export const apnsSettings = z
  .strictObject({
    keys: z
      .record(
        z.string().regex(/^[A-Za-z0-9]{1,32}$/, 'must be a team ID'),
        z.strictObject({
          keyId: text,
          privateKey: secret(pem).describe('Complete content of the `.p8` file.'),
          topics: z
            .array(text)
            .max(100)
            .default([])
            .describe('Topics (bundle IDs) that select this key for devices without a team ID.'),
        }),
      )
      .default({})
      .describe('Token keys (`.p8` files) by team ID.'),
    certificates: byProfile(
      z.strictObject({
        certificate: pem,
        privateKey: secret(pem),
        passphrase: secret(text).optional(),
        topic: text.optional().describe('Required if the certificate is valid for several topics.'),
        environment: z.enum(['dev', 'prod']).default('prod'),
      }),
    ),
    defaultTopic: text.optional().describe('Topic for devices that do not set one.'),
    servers: z
      .strictObject({
        prod: server('https://api.push.apple.com'),
        dev: server('https://api.sandbox.push.apple.com'),
      })
      .prefault({}),
    trusted: pem.optional().describe('Certificate (PEM) of an additional trusted authority, for a proxy.'),
  })
  .prefault({})

export type ApnsSettings = z.infer<typeof apnsSettings>
