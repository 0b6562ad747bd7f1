/** Endpoints below these show what is stored, and do nothing else, when they are asked with GET. */
const READS = [
  '/1.1/classes',
  '/1.1/files',
  '/1.1/installations',
  '/1.1/leaderboard',
  '/1.1/notifications',
  '/1.1/roles',
  '/1.1/rtm/messages',
  '/1.1/scan',
  '/1.1/scheduledPushMessages',
  '/1.1/schemas',
  '/1.1/search',
  '/1.1/tables',
  '/1.1/users',
  '/1.2/rtm',
]

/** It proves who a client of messaging is. */
const SIGNATURE = '/1.2/rtm/clients/sign'

/**
 * Whether a GET only shows what is stored. Some do more: CQL writes, others log in, sign, or lead to passwords in exports.
 * @param path of the endpoint, as its route has it
 */
export function isPlainRead(path: string): boolean {
  return path !== SIGNATURE && READS.some((read) => path === read || path.startsWith(`${read}/`))
}
