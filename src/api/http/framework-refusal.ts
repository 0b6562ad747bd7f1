import { ApiError, errors } from '../../errors.ts'

/**
 * Returns the error of the API for an error of Fastify or its plugins. Each of their errors with a 4XX status is caused
 * by the request. Null for all other errors.
 */
export function frameworkRefusal(error: unknown): ApiError | null {
  if (error instanceof ApiError || !(error instanceof Error) || !('statusCode' in error)) return null
  const { statusCode: status } = error
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 499) return null
  switch (status) {
    // A path that leads out of a folder of static files.
    case 403:
    case 404:
      return errors.notFound('Nothing found at this URL.')
    case 413:
      return errors.payloadTooLarge()
    case 415:
      return errors.unsupportedMediaType('The Content-Type must be application/json or text/plain.')
    case 400:
      return errors.badArgument('The request is malformed: its URL or its Content-Length is wrong.')
    default:
      return new ApiError(status, 1, 'The request is malformed: its method, URL or headers are wrong.')
  }
}
