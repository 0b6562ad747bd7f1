/** Variables by name. */
export type Variables = Readonly<Record<string, string>>

const HEAD = `# Options of Homeport, one variable a line. "homeport help start" lists the options.
# After a change, run "homeport service install" as root: it checks the values and restarts the server.
# Only root can read this file, so secrets such as HOMEPORT_DATABASE_URL and HOMEPORT_SMTP_URL can be stored here.
`

/** Parses an environment file of systemd, as far as `withVariables` and people write it: one assignment a line. */
export function parseEnvironment(text: string): Variables {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = ASSIGNMENT.exec(line) ?? []
      return name === undefined ? [] : [[name, unquoted(value!.trim())]]
    }),
  )
}

/**
 * Returns the file with some variables set. Other lines stay unchanged.
 * @param text the present file; empty when there is none
 * @throws Error that names the variable whose value has a line break
 */
export function withVariables(text: string, variables: Variables): string {
  const lines = (text || HEAD).replace(/\n*$/, '').split('\n')
  const rest = new Map(Object.entries(variables))
  const changed = lines.map((line) => {
    const name = ASSIGNMENT.exec(line)?.[1]
    const value = name === undefined ? undefined : rest.get(name)
    if (name === undefined || value === undefined) return line
    rest.delete(name)
    // The line stays as the administrator wrote it when it means the same.
    return parseEnvironment(line)[name] === value ? line : assignment(name, value)
  })
  return `${[...changed, ...[...rest].map(([name, value]) => assignment(name, value))].join('\n')}\n`
}

const ASSIGNMENT = /^\s*([A-Za-z_]\w*)\s*=(.*)$/

function assignment(name: string, value: string): string {
  if (/[\n\r\0]/.test(value)) throw new Error(`${name}: the value must not contain a line break.`)
  return `${name}="${value.replace(/[\\"`$]/g, '\\$&')}"`
}

function unquoted(value: string): string {
  if (/^".*"$/.test(value)) return value.slice(1, -1).replace(/\\([\\"`$])/g, '$1')
  if (/^'.*'$/.test(value)) return value.slice(1, -1)
  return value.replace(/\\(.)/g, '$1')
}
