import { join } from 'node:path'
import type { Database } from '../database/pool.ts'
import type { Log } from '../log.ts'
import { AcmeOrders, type AcmeSettings } from './acme-order.ts'
import type { Certificates } from './certificates.ts'
import { ChallengeResponses } from './challenge-responses.ts'
import { databaseResponses, databaseStore } from './database-store.ts'
import { ManagedCertificates } from './managed-certificates.ts'
import { folderStore } from './tls-store.ts'

/** How the server serves TLS. */
export interface Tls {
  readonly certificates: Certificates
  /** Responses to the challenges of orders; null when certificates are read from files. */
  readonly responses: ChallengeResponses | null
  /** Whether the console instructs browsers to use HTTPS only (HSTS). */
  readonly isStrict: boolean
}

export interface AcmeOptions {
  readonly names: readonly string[]
  readonly acme: AcmeSettings
  /** Whether a port accepts plain HTTP, which HTTP-01 needs. */
  readonly hasHttpPort: boolean
  /** The database that nodes share; null: there are no other nodes. */
  readonly shared: Database | null
  /** Absolute path of the data directory. */
  readonly data: string
  readonly log: Log
}

/** Loads certificates that are ordered and renewed automatically, and the responses to the challenges of orders. */
export async function openManagedCertificates(
  options: AcmeOptions,
): Promise<{ readonly certificates: ManagedCertificates; readonly responses: ChallengeResponses }> {
  const { names, acme, hasHttpPort, shared, data, log } = options
  const store = shared ? databaseStore(shared) : folderStore(join(data, 'tls'))
  const responses = new ChallengeResponses(shared && databaseResponses(shared))
  const certificates = new ManagedCertificates({
    names,
    directory: acme.directory,
    store,
    orders: new AcmeOrders(acme, store, responses),
    // Firewalls may block either port, so failed orders alternate.
    challenges: hasHttpPort ? ['http-01', 'tls-alpn-01'] : ['tls-alpn-01'],
    log,
  })
  await certificates.load()
  return { certificates, responses }
}
