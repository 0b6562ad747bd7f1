// Runs in the threads of passwords.ts. It is plain JavaScript because it also runs from src/ in tests, and Node 20
// cannot load TypeScript in a thread. Everything here is synchronous on purpose: the asynchronous forms of argon2 would
// compute in Node's own threads, which have the priority of the event loop.
import { createHash, timingSafeEqual } from 'node:crypto'
import { workerData } from 'node:worker_threads'
import { Algorithm, hashSync, verifySync } from '@node-rs/argon2'
import bcrypt from 'bcryptjs'

const TODAY = { ...workerData.argon2id, algorithm: Algorithm.Argon2id }

/**
 * @param {{ password: string }} task
 * @returns {string} an argon2id hash in PHC form
 */
export function hash({ password }) {
  return hashSync(password, TODAY)
}

/**
 * @param {{ password: string, form: import('./password-forms.ts').StoredForm | null }} task
 * @returns {boolean} whether the password is the stored one; false when nothing is stored
 */
export function matches({ password, form }) {
  const right = form !== null && compare(password, form)
  // Hashes once more, so that the duration does not reveal that the user does not exist, or has a password in a faster
  // form.
  if (!right && form?.kind !== 'argon2id') hashSync(password, TODAY)
  return right
}

/**
 * @param {string} password
 * @param {import('./password-forms.ts').StoredForm} form
 */
function compare(password, form) {
  switch (form.kind) {
    case 'argon2id':
      return verifies(form.hash, password)
    case 'bcrypt':
      return bcrypt.compareSync(password, form.hash)
    case 'sha512':
      return timingSafeEqual(digestOf(password, form.salt), Buffer.from(form.digest, 'base64'))
  }
}

/**
 * @param {string} hash
 * @param {string} password
 */
function verifies(hash, password) {
  try {
    return verifySync(hash, password)
  } catch {
    // The text has the form of a hash, but with impossible parameters, such as too little memory for its lanes.
    return false
  }
}

/**
 * Computes the digest of the hosted service: SHA-512 of salt and password, then 512 more rounds (protocol/moving-in,
 * Users in exports).
 * @param {string} password
 * @param {string} salt
 */
function digestOf(password, salt) {
  let digest = sha512(salt + password)
  for (let round = 0; round < 512; round++) digest = sha512(digest)
  return digest
}

/** @param {string | Buffer} data */
function sha512(data) {
  return createHash('sha512').update(data).digest()
}
