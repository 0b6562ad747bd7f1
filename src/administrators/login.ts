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

/** Attempts in this many seconds, for one name from one address, from one address, and for one name. */
const SECONDS = 900
const ATTEMPTS = { nameAtAddress: 10, atAddress: 50, ofName: 200 }
/** Characters that a new password must have. */
const LEAST_PASSWORD = 10

interface Given {
  readonly name: string
  readonly password: string
  /** Of an authenticator; undefined where none was asked for. */
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
    const make = (name: string, most: number) =>
      limiters.make({
        name,
        most,
        seconds: SECONDS,
        exact: true,
        text: `${most} attempts to log in within ${SECONDS / 60} minutes`,
      })
    this.#limits = [
      { limiter: make('adminNameAtAddress', ATTEMPTS.nameAtAddress), who: (name, address) => `${address} ${name}` },
      { limiter: make('adminAddress', ATTEMPTS.atAddress), who: (_, address) => address },
      { limiter: make('adminName', ATTEMPTS.ofName), who: (name) => name },
    ]
  }

  /**
   * @returns id of the administrator; `needsCode` when the password is right and a one-time code has to come besides
   * @throws ApiError 401 for a wrong name, password or code, which nobody tells apart; 429 after too many
   */
  async check({ name, password, code, address }: Given): Promise<string | 'needsCode'> {
    const [key, from] = [name.toLowerCase().slice(0, 100), addressKey(address)]
    // Counted before, or thousands could be tried at the same time; the first two are forgotten when it was right.
    for (const { limiter, who } of this.#limits) await limiter.take(who(key, from))
    const [row] = await this.#database.query(
      sql`SELECT * FROM homeport.administrators WHERE lower(name) = lower(${name})`,
    )
    const principal: Principal = { app: '', address: from, user: '' }
    // Takes as long for a name that does not exist.
    const checked = await this.#passwords.check(password, passwordOf(row), principal)
    if (!row || checked === 'wrong') throw errors.unauthorized('The name or the password is wrong.')
    const { id, totp } = decodeLogin(row)
    if (totp !== null) {
      if (code === undefined) return 'needsCode'
      if (!(await takeCode(this.#database, id, totp, code)))
        throw errors.unauthorized('The code is wrong, too old, or was used before.')
    }
    for (const { limiter, who } of this.#limits.slice(0, 1)) limiter.forget(who(key, from))
    return id
  }

  /**
   * Gives an administrator a password.
   * @param current what it was; not looked at where there was none
   * @throws ApiError 401 when `current` is wrong; 1 when the new one is too short; 429
   */
  async setPassword(id: string, current: string | undefined, password: string, address: string): Promise<void> {
    if (password.length < LEAST_PASSWORD)
      throw errors.badArgument(`password: it must have at least ${LEAST_PASSWORD} characters`)
    await this.confirm(id, current, address)
    const hash = await this.#passwords.hash(password, { app: '', address: addressKey(address), user: id })
    await this.#database.query(sql`UPDATE homeport.administrators SET password = ${hash} WHERE id = ${id}`)
  }

  /** Asks who is logged in for the password once more, before what would keep the owner of the browser out. @throws ApiError 401, 429 */
  async confirm(id: string, password: string | undefined, address: string): Promise<void> {
    const [row] = await this.#database.query(sql`SELECT * FROM homeport.administrators WHERE id = ${id}`)
    const stored = passwordOf(row)
    if (stored === null) return
    const from = addressKey(address)
    await this.#limits[0]!.limiter.take(`${from} ${id}`)
    if ((await this.#passwords.check(password ?? '', stored, { app: '', address: from, user: id })) === 'wrong')
      throw errors.unauthorized('currentPassword: it is wrong')
    this.#limits[0]!.limiter.forget(`${from} ${id}`)
  }
}

function passwordOf(row: Row | undefined): string | null {
  return row ? text.orNull('password')(row) : null
}

const decodeLogin = rowDecoder({ id: text('id'), totp: text.orNull('totp') })
