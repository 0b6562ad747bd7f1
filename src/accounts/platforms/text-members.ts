import { errors } from '../../errors.ts'
import { type Json, type JsonObject, member } from '../../values/json.ts'
import type { PlatformData } from './platform.ts'

/**
 * Returns a member as text, because platforms and clients send ids as texts and as numbers. Undefined when it is
 * neither, empty, or a number with a fraction or beyond 2^53, which loses digits.
 */
export function textMember(object: JsonObject, name: string): string | undefined {
  return asText(member(object, name))
}

/**
 * Returns a member of the client's data, undefined when it is absent.
 * @throws ApiError 250 when it cannot be compared
 */
export function sentText(platform: string, data: PlatformData, name: string): string | undefined {
  const value = member(data, name) ?? ''
  const text = asText(value)
  if (text === undefined && value !== '') throw errors.linkedIdMissing(platform, name)
  return text
}

/**
 * Returns a member of the client's data that the check requires.
 * @throws ApiError 250
 */
export function neededText(platform: string, data: PlatformData, name: string): string {
  const text = sentText(platform, data, name)
  if (text === undefined) throw errors.linkedIdMissing(platform, name)
  return text
}

function asText(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
