// Loaded before a server that tests start (program.ts). A hash of the product takes 40 ms of a processor, and the tests make
// thousands. Here new hashes have the form of the product's, but are computed with the least memory and one pass. Their salts
// start alike, so that hashes of other origins are still checked by what they say of themselves. src/accounts/passwords.test.ts
// tests the real ones.
const { randomBytes } = require('node:crypto')
const { isMainThread, workerData } = require('node:worker_threads')

if (!isMainThread && workerData?.argon2id) {
  const argon2 = require('@node-rs/argon2')
  const { hashSync, verifySync } = argon2
  const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 }
  const SALT_START = Buffer.from('cheap pepper')
  const formOf = ({ memoryCost, timeCost, parallelism }) => `$m=${memoryCost},t=${timeCost},p=${parallelism}$`
  const real = formOf(workerData.argon2id)
  const cheap = formOf(CHEAP)
  const isCheap = (hash) => hash.includes(real + SALT_START.toString('base64'))

  argon2.hashSync = (password, options) => {
    const salt = Buffer.concat([SALT_START, randomBytes(4)])
    return hashSync(password, { ...options, ...CHEAP, salt }).replace(cheap, real)
  }
  argon2.verifySync = (hash, password) => verifySync(isCheap(hash) ? hash.replace(real, cheap) : hash, password)
}
