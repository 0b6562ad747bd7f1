import type { Passwords } from '../accounts/passwords.ts'
import { rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { addressKey } from '../limits/address-key.ts'
import type { Limiter, Limiters } from '../limits/limiters.ts'
import type { Principal } from '../scheduling/principal.ts'
import { takeCode } from './one-time-codes.ts'

/** Window of the limits in seconds, and maximum attempts for a name at an address, for an address, and for a name. */
const SECONDS = 900
const ATTEMPTS = { nameAtAddress: 10, atAddress: 50, ofName: 200 }
/** Minimum length of a new password in characters. */
const MIN_PASSWORD = 10

interface Given {
  readonly name: string
  readonly password: string
  /** From an authenticator app; undefined when the client sent none. */
  readonly code: string | undefined
  /** IP address */
  readonly address: string
}

/** Checks names and passwords of administrators. */
export class AdministratorLogin {
  readonly #database: Database
  readonly #passwords: Passwords
  readonly #limits: readonly { readonly limiter: Limiter; readonly who: (name: string, address: string) => string }[]

  constructor(database: Database, passwords: Passwords, limiters: Limiters) {
    this.#database = database
    this.#passwords = passwords
    const make = (name: string, max: number) =>
      limiters.make({
        name,
        max,
        seconds: SECONDS,
        exact: true,
        text: `${max} login attempts in ${SECONDS / 60} minutes`,
      })
    this.#limits = [
      { limiter: make('adminNameAtAddress', ATTEMPTS.nameAtAddress), who: (name, address) => `${address} ${name}` },
      { limiter: make('adminAddress', ATTEMPTS.atAddress), who: (_, address) => address },
      { limiter: make('adminName', ATTEMPTS.ofName), who: (name) => name },
    ]
  }

  /**
   * Checks a name and password.
   * @returns id of the administrator; `needsCode` when the password is right and a one-time code is required in
   *   addition
   * @throws ApiError 401 for a wrong name, password or code, with the same text for name and password; 429 after too
   *   many attempts
   */
  async check({ name, password, code, address }: Given): Promise<string | 'needsCode'> {
    const [key, from] = [name.toLowerCase().slice(0, 100), addressKey(address)]
    // Counts before the check, because many attempts can run concurrently; a successful login resets the first counter.
    for (const { limiter, who } of this.#limits) await limiter.take(who(key, from))
    const [row] = await this.#database.query(
      sql`SELECT * FROM homeport.administrators WHERE lower(name) = lower(${name})`,
    )
    const principal: Principal = { app: '', address: from, user: '' }
    // Takes as long for an unknown name as for a wrong password.
    const checked = await this.#passwords.check(password, passwordOf(row), principal)
    if (!row || checked === 'wrong') throw errors.unauthorized('The name or the password is wrong.')
    const { id, totp } = decodeLogin(row)
    if (totp !== null) {
      if (code === undefined) return 'needsCode'
      if (!(await takeCode(this.#database, id, totp, code)))
        throw errors.unauthorized('The code is wrong, expired, or was already used.')
    }
    for (const { limiter, who } of this.#limits.slice(0, 1)) limiter.forget(who(key, from))
    return id
  }

  /**
   * Sets the password of an administrator.
   * @param current the old password; ignored if there was none
   * @throws ApiError 401 when `current` is wrong; 1 when the new password is too short; 429
   */
  async setPassword(id: string, current: string | undefined, password: string, address: string): Promise<void> {
    if (password.length < MIN_PASSWORD)
      throw errors.badArgument(`password: must have at least ${MIN_PASSWORD} characters`)
    await this.confirm(id, current, address)
    const hash = await this.#passwords.hash(password, { app: '', address: addressKey(address), user: id })
    await this.#database.query(sql`UPDATE homeport.administrators SET password = ${hash} WHERE id = ${id}`)
  }

  /**
   * Asks a logged-in administrator for the password again, before changes that could lock the account's owner out.
   * @throws ApiError 401, 429
   */
  async confirm(id: string, password: string | undefined, address: string): Promise<void> {
    const [row] = await this.#database.query(sql`SELECT * FROM homeport.administrators WHERE id = ${id}`)
    const stored = passwordOf(row)
    if (stored === null) return
    const from = addressKey(address)
    await this.#limits[0]!.limiter.take(`${from} ${id}`)
    if ((await this.#passwords.check(password ?? '', stored, { app: '', address: from, user: id })) === 'wrong')
      throw errors.unauthorized('currentPassword: wrong password')
    this.#limits[0]!.limiter.forget(`${from} ${id}`)
  }
}

function passwordOf(row: Row | undefined): string | null {
  return row ? text.orNull('password')(row) : null
}

const decodeLogin = rowDecoder({ id: text('id'), totp: text.orNull('totp') })
