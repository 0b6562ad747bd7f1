import { z } from 'zod'

/** The base URL of a source app. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(1000)
  .refine((text) => !/[?#@]/.test(text), 'must have neither a user, a query nor a fragment')

export const sourceAppId = z.string().regex(/^[\w-]{1,100}$/)

export const masterKey = z
  .string()
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs without spaces')
