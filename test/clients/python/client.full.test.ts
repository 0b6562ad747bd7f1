import { expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { connectPhones } from '../../support/phones.ts'
import { installPackages, python } from '../../support/python.ts'
import { runCases } from './run-cases.ts'

const PACKAGES = new URL('requirements.txt', import.meta.url)
const VERSIONS: ReadonlyMap<string, readonly URL[]> = new Map([
  ['3.0.2', [PACKAGES]],
  ['2.9.12', [new URL('requirements-2.9.txt', import.meta.url), PACKAGES]],
])

async function casesOf(packages: readonly URL[]) {
  const environment = await installPackages(packages)
  const app = await makeApp()
  await app.admin('PATCH', '/settings', {
    storage: { returnAclInQueries: true },
    accounts: { sendVerificationEmail: true },
  })
  const phones = await connectPhones(app)
  return runCases('client.py', app, environment, {
    number: () => phones.newNumber(),
    code: (number) => phones.codeOf(number),
    provider: (provider) => app.admin('PATCH', '/settings', { files: { provider } }).then(({ status }) => status),
    later: (number) => phones.wait(number, 60),
  })
}

for (const [version, packages] of VERSIONS) {
  if (python === null) it.skip(`the client for Python ${version}`)
  else {
    for (const { name, failure } of await casesOf(packages)) {
      it(`Python ${version}: ${name}`, () => expect.assert(failure === undefined, failure))
    }
  }
}
