import { z } from 'zod'
import { schedulesSettings } from './schedules-settings.ts'

/**
 * A base URL. Paths are appended to it, and engines would read a query as part of a function's name (protocol/cloud-code,
 * Addresses).
 */
const baseUrl = z
  .string()
  .refine(
    isBaseUrl,
    'must be an http or https URL such as https://engine.example.org, without user, password and query',
  )
  .transform((url) => url.replace(/\/+$/, ''))

/**
 * The addresses of an app's cloud code, one for each environment; both are optional (protocol/cloud-code, The engine as seen by
 * the server).
 */
export const engineSettings = z
  .strictObject({
    production: baseUrl.optional().describe('Base URL of your cloud code.'),
    staging: baseUrl.optional().describe('Base URL for requests with `X-LC-Prod: 0`.'),
    schedules: schedulesSettings.optional().describe('Cloud functions that run on a schedule.'),
  })
  .prefault({})

/** Its base URLs have no trailing slash. */
export type EngineSettings = z.infer<typeof engineSettings>

function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value) || /[?#\s]/.test(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
