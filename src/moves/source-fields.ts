import { z } from 'zod'

/** The base URL of a source app. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(1000)
  .refine((text) => !/[?#@]/.test(text), 'must not contain a user, a query or a fragment')

export const sourceAppId = z.string().regex(/^[\w-]{1,100}$/)

export const masterKey = z
  .string()
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces')
