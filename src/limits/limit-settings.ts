import { z } from 'zod'

/** A maximum; 0 for no limit. It is not null, which in a patch of settings restores the default. */
const most = (standard: number) => z.int().min(0).default(standard)

interface Standard {
  readonly second?: number
  readonly hour?: number
}

/** Maxima per second and per hour. */
const rate = ({ second = 0, hour = 0 }: Standard = {}) =>
  z.strictObject({ second: most(second), hour: most(hour) }).prefault({})

/**
 * Maxima by scope: `user` is a user with its session token, or a messaging client. By default only addresses are limited, because
 * the use of one user or a whole app differs too much between apps.
 */
const rates = (ofAddress?: Standard) =>
  z.strictObject({ app: rate(), user: rate(), address: rate(ofAddress) }).prefault({})

/**
 * The kinds that are counted, and their limits. The defaults are far above the use of normal apps, such as a school with several
 * hundred devices behind one address, or a server that renders pages with the app key. They stop a single client from using all
 * capacity. None is below a limit of the protocol (`test/http/contract-limits.test.ts`).
 */
const counted = {
  requests: rates({ second: 3000 }).describe('HTTP requests. A batch counts as one.'),
  reads: rates().describe('Here and below, each item of a batch counts as one.'),
  queries: rates({ second: 1500 }).describe('Queries, counts, CQL and scans.'),
  writes: rates({ second: 15_000, hour: 4_000_000 }),
  functions: rates({ second: 1000 }),
  pushes: rates({ second: 100 }),
  logins: rates({ second: 200, hour: 40_000 }).describe(
    'Requests that check a password, a code or a third-party account.',
  ),
  signUps: rates({ second: 200, hour: 10_000 }),
  mails: rates({ hour: 2000 }).describe('Mails and SMS to users.'),
  codes: rates({ hour: 1000 }),
  newClasses: rates({ hour: 500 }).describe(
    'Classes created by saving a first object; see `storage.clientClassCreation`.',
  ),
  newFields: rates({ hour: 600 }).describe('Fields of one class created by saving a first value.'),
  uploads: rates({ hour: 10_000 }),
  uploadMegabytes: rates({ hour: 20_000 }),
  pictureMegapixels: rates({ hour: 200_000 }).describe(
    'Megapixels read and written to process images by URL. Cached results do not count.',
  ),
  subscriptions: rates({ second: 1000, hour: 50_000 }),
  messages: rates({ second: 5000 }).describe('Messages that clients send over WebSocket.'),
  deliveries: rates({ second: 50_000 }).describe(
    'Deliveries of messages and conversation changes: each recipient counts as one.',
  ),
  commands: rates({ second: 10_000 }).describe(
    'Commands of messaging clients, including messages. Acknowledgements do not count.',
  ),
}

/** The limits that an administrator sets for clients (the protocol leaves the numbers open). */
export const limitSettings = z
  .strictObject({
    ...counted,
    master: rate().describe("Requests with the master key, and requests of the app's cloud code."),
    picturesOfFile: most(500).describe('Images processed from one file per hour. Cached results do not count.'),
    sessionsOfConnection: most(500).describe('Messaging clients logged in on one connection at the same time.'),
    subscriptionsOfClient: most(100).describe('Live queries that one client is subscribed to at the same time.'),
  })
  .prefault({})
  .describe(
    'Limits for clients per second and per hour. 0: no limit. The defaults are far above the use of normal apps.',
  )

export type LimitSettings = z.infer<typeof limitSettings>

/** The kinds of actions that are counted by scope. */
export type LimitKind = keyof typeof counted
