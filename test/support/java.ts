import { join } from 'node:path'
import { findProgram } from './find-program.ts'

const { JAVA_HOME } = process.env

export const maven = findProgram('HOMEPORT_TEST_MAVEN', ['mvn'])

/** A compiler: Maven can be installed with only a Java runtime. */
const compiler = findProgram('HOMEPORT_TEST_JAVAC', ['javac'], JAVA_HOME ? [join(JAVA_HOME, 'bin', 'javac')] : [])

/** Whether Java programs can be built and run here; otherwise, tests that need them are skipped. */
export const java = maven !== null && compiler !== null

/** The Java runtime used by Maven. */
export const javaProgram = JAVA_HOME ? join(JAVA_HOME, 'bin', 'java') : 'java'

if (!java) {
  console.warn(
    `Tests with programs in Java are skipped: no ${maven === null ? 'mvn' : 'javac'} was found. Install a JDK and Maven (Debian: apt-get install default-jdk-headless maven; macOS: brew install maven), or let HOMEPORT_TEST_MAVEN name the file of a Maven and JAVA_HOME the directory of a JDK.`,
  )
}
