import { z } from 'zod'

const GIGABYTE = 1024 ** 3

/** `image/png`, or `image/*` for all subtypes. */
const TYPE = /^[a-z0-9!#$&^_.+-]+\/(\*|[a-z0-9!#$&^_.+-]+)$/i

const domain = z
  .string()
  .max(300)
  .refine(
    (text) => /^https?:\/\/[^/?#@\s]+$/i.test(text) && URL.canParse(text),
    'must be a URL without path and query, such as https://files.example.org',
  )
  .transform((text) => text.toLowerCase())

/** Settings for the files of an app (protocol/files; options that the contract leaves open). */
export const fileSettings = z
  .strictObject({
    provider: z
      .enum(['auto', 's3', 'qiniu', 'qcloud'])
      .default('auto')
      .describe('The upload provider that clients use. `auto` selects the most suitable one for each client.'),
    domain: domain.nullable().default(null).describe('Your own host, as a URL, that serves the files by their key.'),
    directUploads: z.boolean().default(false).describe('Clients upload directly to S3, if files are stored there.'),
    maxSize: z.int().min(0).default(GIGABYTE).describe('In bytes; 0: no limit.'),
    maxTotal: z.int().min(0).default(0).describe('In bytes; 0: no limit.'),
    types: z
      .array(z.string().max(200).regex(TYPE, 'must be a type such as image/png or image/*'))
      .max(100)
      .default([])
      .describe('Media types that can be uploaded, such as `image/*`; empty: all.'),
  })
  .prefault({})

export type FileSettings = z.infer<typeof fileSettings>
