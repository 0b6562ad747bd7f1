/** The lowest version of Node that the program supports, as in `engines` of package.json. */
const LOWEST = [20, 19]

/** Ends the process with one clear line if its Node is too old; the program itself would end with a syntax error. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > LOWEST[0] || (major === LOWEST[0] && minor >= LOWEST[1])) return
  process.stderr.write(`Homeport needs Node.js ${LOWEST.join('.')} or later; this is ${process.versions.node}.\n`)
  process.exit(1)
}
