import { z } from 'zod'

export const text = z.string().min(1).max(512)

export const pem = z.string().min(1).max(20_000)

/** URL of a provider's server. Another than the default is used for a proxy, another region, or a test. */
export const server = (url: string) => z.url({ protocol: /^https?$/ }).default(url)

export const clickHost = text
  .default('cn.leancloud.push')
  .describe('Host of the intent that a tap on a notification opens.')
