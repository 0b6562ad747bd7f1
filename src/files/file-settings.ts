import { z } from 'zod'

const GIGABYTE = 1024 ** 3

/** `image/png`, or `image/*` for all subtypes. */
const TYPE = /^[a-z0-9!#$&^_.+-]+\/(\*|[a-z0-9!#$&^_.+-]+)$/i

const domain = z
  .string()
  .max(300)
  .refine(
    (text) => /^https?:\/\/[^/?#@\s]+$/i.test(text) && URL.canParse(text),
    'must be a URL without a path, such as https://files.example.org',
  )
  .transform((text) => text.toLowerCase())

/** Settings for the files of an app (protocol/files; options that the contract leaves open). */
export const fileSettings = z
  .strictObject({
    provider: z
      .enum(['auto', 's3', 'qiniu', 'qcloud'])
      .default('auto')
      .describe('Upload protocol of clients. `auto` selects the best one that the client supports.'),
    domain: domain.nullable().default(null).describe('URL of your own host that serves files by their key.'),
    directUploads: z.boolean().default(false).describe('Clients upload directly to S3, if files are stored there.'),
    maxSize: z.int().min(0).default(GIGABYTE).describe('Maximum bytes per file. 0: no limit.'),
    maxTotal: z.int().min(0).default(0).describe('Maximum bytes of all files. 0: no limit.'),
    types: z
      .array(z.string().max(200).regex(TYPE, 'must be a type such as image/png or image/*'))
      .max(100)
      .default([])
      .describe('MIME types that can be uploaded, such as `image/*`. Empty: all types.'),
  })
  .prefault({})

export type FileSettings = z.infer<typeof fileSettings>
