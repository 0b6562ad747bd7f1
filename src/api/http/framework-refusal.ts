import { ApiError, errors } from '../../errors.ts'

/**
 * Returns what Fastify and its plugins refuse a request with, in the words of the contract: each error of theirs with a 4XX
 * status is a fault of the request. null for all other errors.
 */
export function frameworkRefusal(error: unknown): ApiError | null {
  if (error instanceof ApiError || !(error instanceof Error) || !('statusCode' in error)) return null
  const { statusCode: status } = error
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 499) return null
  switch (status) {
    // A path that leads out of a folder of files: nothing is served there.
    case 403:
    case 404:
      return errors.notFound('There is nothing at this URL.')
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
