import type * as acme from 'acme-client'
import { getJson, useOwnRequests } from './acme-requests.ts'
import type { ChallengeResponses } from './challenge-responses.ts'
import { directoryName } from './renewal-time.ts'
import type { TlsStore } from './tls-store.ts'

export type ChallengeType = 'http-01' | 'tls-alpn-01'

/** A certificate authority and the account there. */
export interface AcmeSettings {
  /** URL of the authority's ACME directory. */
  readonly directory: string
  /** E-mail address that the authority may contact; null: none. */
  readonly email: string | null
  /** External account binding, which some authorities require; null: none. */
  readonly externalAccount: { readonly keyId: string; readonly hmacKey: string } | null
  readonly keyType: 'ecdsa' | 'rsa'
}

export interface Order {
  readonly name: string
  readonly type: ChallengeType
  /** Identifier of the certificate that it replaces (RFC 9773); null: none, or from another authority. */
  readonly replaces: string | null
}

interface Account {
  readonly url: string
  /** Private key in PEM. */
  readonly key: string
}

/** How often and how fast the state of an order is requested, in milliseconds. */
const POLLING = { backoffAttempts: 12, backoffMin: 1000, backoffMax: 10_000 }

type Acme = typeof acme
type Client = acme.Client
type Authorization = acme.Authorization

/** The library takes a tenth of a second to load, and most servers do not need it. */
let loading: Promise<Acme> | undefined
function loadAcme(): Promise<Acme> {
  loading ??= import('acme-client').then((library) => {
    useOwnRequests(library.axios)
    return library
  })
  return loading
}

/** Orders certificates from a certificate authority by ACME (RFC 8555). */
export class AcmeOrders {
  readonly #settings: AcmeSettings
  readonly #store: TlsStore
  readonly #responses: ChallengeResponses

  constructor(settings: AcmeSettings, store: TlsStore, responses: ChallengeResponses) {
    this.#settings = settings
    this.#store = store
    this.#responses = responses
  }

  /**
   * Orders a certificate for one host name, with a new private key.
   * @returns both in PEM, the certificate with its chain
   * @throws Error with the authority's reason; AuthorityBusy when it accepts no orders at this time
   */
  async place({ name, type, replaces }: Order): Promise<{ readonly cert: string; readonly key: string }> {
    const { crypto } = await loadAcme()
    const client = await this.#client()
    const identifiers = [{ type: 'dns', value: name }]
    const order = await client.createOrder({ identifiers, ...(replaces !== null && { replaces }) })
    for (const authorization of await client.getAuthorizations(order)) {
      if (authorization.status !== 'valid') await this.#prove(client, authorization, type)
    }
    const privateKey =
      this.#settings.keyType === 'rsa' ? await crypto.createPrivateRsaKey() : await crypto.createPrivateEcdsaKey()
    const [, request] = await crypto.createCsr({ altNames: [name] }, privateKey)
    const finalized = await client.finalizeOrder(order, request)
    return { cert: await client.getCertificate(finalized), key: privateKey.toString() }
  }

  /** Has the authority validate the host name, by a response that all nodes give. */
  async #prove(client: Client, authorization: Authorization, type: ChallengeType): Promise<void> {
    const challenge = authorization.challenges.find((offered) => offered.type === type)
    if (!challenge) throw new Error(`the certificate authority does not offer the challenge ${type}`)
    const proof = await client.getChallengeKeyAuthorization(challenge)
    const key = type === 'http-01' ? challenge.token : alpnKey(authorization.identifier.value)
    await this.#responses.add(key, type === 'http-01' ? proof : await alpnResponse(authorization, proof))
    try {
      await client.completeChallenge(challenge)
      await client.waitForValidStatus(challenge)
    } finally {
      await this.#responses.remove(key)
    }
  }

  async #client(): Promise<Client> {
    const { Client } = await loadAcme()
    const { directory, externalAccount } = this.#settings
    const { url, key } = await this.#account()
    return new Client({
      directoryUrl: directory,
      accountKey: key,
      ...(url && { accountUrl: url }),
      ...(externalAccount && {
        externalAccountBinding: { kid: externalAccount.keyId, hmacKey: externalAccount.hmacKey },
      }),
      ...POLLING,
    })
  }

  /** Returns the account at the authority, and registers it if there is none. */
  async #account(): Promise<Account> {
    const { Client, crypto } = await loadAcme()
    const { directory, email, externalAccount } = this.#settings
    const storeKey = `account-${directoryName(directory)}.json`
    const stored = await this.#store.get(storeKey)
    if (stored !== null) return JSON.parse(stored) as Account
    const key = (await crypto.createPrivateEcdsaKey()).toString()
    const client = new Client({
      directoryUrl: directory,
      accountKey: key,
      ...(externalAccount && {
        externalAccountBinding: { kid: externalAccount.keyId, hmacKey: externalAccount.hmacKey },
      }),
    })
    // The operator agrees by setting --domain (docs/tls.md).
    await client.createAccount({ termsOfServiceAgreed: true, ...(email && { contact: [`mailto:${email}`] }) })
    const account = { url: client.getAccountUrl(), key }
    await this.#store.put(storeKey, `${JSON.stringify(account)}\n`)
    return account
  }

  /**
   * Returns the period in which the authority wants a certificate to be renewed (RFC 9773), in milliseconds since 1970; null when
   * the authority does not say.
   * @param identifier see `renewalIdentifier`
   */
  async renewalWindow(identifier: string): Promise<{ readonly from: number; readonly to: number } | null> {
    const { renewalInfo } = (await getJson(this.#settings.directory)) as { readonly renewalInfo?: unknown }
    if (typeof renewalInfo !== 'string') return null
    const information = await getJson(`${renewalInfo.replace(/\/$/, '')}/${identifier}`)
    const { suggestedWindow } = information as {
      readonly suggestedWindow?: { readonly start?: string; readonly end?: string }
    }
    const [from, to] = [Date.parse(suggestedWindow?.start ?? ''), Date.parse(suggestedWindow?.end ?? '')]
    return from <= to ? { from, to } : null
  }
}

/** Returns the key of a response to TLS-ALPN-01. */
export function alpnKey(name: string): string {
  return `tls:${name}`
}

/** Returns the certificate and key that respond to TLS-ALPN-01 (RFC 8737), in PEM. */
async function alpnResponse(authorization: Authorization, proof: string): Promise<string> {
  const { crypto } = await loadAcme()
  const [key, cert] = await crypto.createAlpnCertificate(authorization, proof, await crypto.createPrivateEcdsaKey())
  return `${key.toString()}\n${cert.toString()}`
}
