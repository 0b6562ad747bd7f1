import { S3Client } from '@aws-sdk/client-s3'
import type { S3Location } from '../../files-url.ts'

const ATTEMPTS = 3
/**
 * Timeouts in milliseconds. A part of 8 or 16 MB must be uploaded within `REQUEST_TIMEOUT`. `IDLE_TIMEOUT` also ends a read whose
 * client stops reading.
 */
const CONNECTION_TIMEOUT = 5000
const REQUEST_TIMEOUT = 120_000
const IDLE_TIMEOUT = 120_000
/** Maximum connections to the store, including those that serve slow clients. */
const CONNECTIONS = 256

/** Creates the client of a store. It sends no request. */
export function clientFor({ region, endpoint, pathStyle, credentials }: S3Location): S3Client {
  // The log is for events that need action: the SDK's warning about future Node versions does not.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  const agent = { keepAlive: true, maxSockets: CONNECTIONS }
  return new S3Client({
    ...(region !== null && { region }),
    // Other stores have no regions, but signatures must contain one.
    ...(endpoint !== null && { endpoint, region: region ?? process.env.AWS_REGION ?? 'us-east-1' }),
    ...(credentials && { credentials }),
    forcePathStyle: pathStyle,
    maxAttempts: ATTEMPTS,
    // Many other stores reject the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      throwOnRequestTimeout: true,
      socketTimeout: IDLE_TIMEOUT,
      httpAgent: agent,
      httpsAgent: agent,
      logger: SILENT,
    },
  })
}

/** The client would log to the console errors that it also returns. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
