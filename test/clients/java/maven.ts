import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maven } from '../../support/java.ts'

/** A case reported by a Java program. */
export interface Case {
  readonly name: string
  /** The failure, or null when the case passed. */
  readonly failure: string | null
}

/** Timeout for a cold repository on a slow connection, in milliseconds. */
const TIMEOUT_MS = 480_000

/**
 * Compiles and runs the Maven project beside this file in a temporary directory.
 * @param programs the modules to run
 * @param environment variables for the programs
 * @returns the cases of each program, in order
 * @throws Error with Maven's output when it fails
 */
export async function runMaven<Program extends string>(
  programs: readonly Program[],
  environment: Readonly<Record<string, string>>,
): Promise<Record<Program, Case[]>> {
  const workplace = await mkdtemp(join(tmpdir(), 'homeport-java-'))
  try {
    const project = join(import.meta.dirname, 'pom.xml')
    const options = ['--batch-mode', '--quiet', '--threads', '2', `-Dworkplace=${workplace}`]
    await run(maven!, [...options, '--file', project, 'process-classes'], environment)
    const cases = programs.map(async (name) => [name, await readCases(join(workplace, `${name}.results`))])
    return Object.fromEntries(await Promise.all(cases))
  } finally {
    await rm(workplace, { recursive: true, force: true })
  }
}

/** Runs a program and waits until it exits. */
function run(program: string, args: readonly string[], environment: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`Maven ended with ${code ?? signal}:\n${output}`))
    })
  })
}

/** Reads the results written by `Cases.java`. */
async function readCases(file: string): Promise<Case[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.split('\t'))
  const results = new Map<string, string | null>()
  for (const [word, name, failure] of lines) {
    if (word === 'planned') results.set(name!, 'The program ended before it came to this case.')
    if (word === 'passed') results.set(name!, null)
    if (word === 'failed') results.set(name!, failure ?? 'It does not say why.')
  }
  return [...results].map(([name, failure]) => ({ name, failure }))
}
