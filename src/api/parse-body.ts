import type { z } from 'zod'
import { errors } from '../errors.ts'

/**
 * Validates a body of the management API.
 * @throws ApiError 1 that names each unknown or invalid member
 */
export function parseBody<T>(shape: z.ZodType<T>, body: unknown): T {
  const parsed = shape.safeParse(body)
  if (parsed.success) return parsed.data
  throw errors.badArgument(
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '),
  )
}
