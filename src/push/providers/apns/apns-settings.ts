import { z } from 'zod'
import { secret } from '../../../settings-schema.ts'
import { pem, server, text } from '../credential-schemas.ts'
import { byProfile } from '../descriptor.ts'

export const apnsSettings = z
  .strictObject({
    keys: z
      .record(
        z.string().regex(/^[A-Za-z0-9]{1,32}$/, 'is no team id'),
        z.strictObject({
          keyId: text,
          privateKey: secret(pem).describe('The whole content of the file.'),
          topics: z.array(text).max(100).default([]).describe('Devices that name no team are found by them.'),
        }),
      )
      .default({})
      .describe('The `.p8` file, by the ID of the team.'),
    certificates: byProfile(
      z.strictObject({
        certificate: pem,
        privateKey: secret(pem),
        passphrase: secret(text).optional(),
        topic: text.optional().describe('Needed where a certificate serves several.'),
        environment: z.enum(['dev', 'prod']).default('prod'),
      }),
    ),
    defaultTopic: text.optional().describe('For devices that name none.'),
    servers: z
      .strictObject({
        prod: server('https://api.push.apple.com'),
        dev: server('https://api.sandbox.push.apple.com'),
      })
      .prefault({}),
    trusted: pem.optional().describe('Certificate (PEM) of an authority to trust besides the usual ones, for a proxy.'),
  })
  .prefault({})

export type ApnsSettings = z.infer<typeof apnsSettings>
