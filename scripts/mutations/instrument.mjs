/**
 * Builds the text of a module that contains all its mutants. `isActive` selects one of them at run time:
 * `(isActive('1a2b3c4d') ? (a <= b) : (a < b))`. Line numbers do not change.
 * @param {string} source text of the file
 * @param {readonly import('./mutants.mjs').Mutant[]} mutants of the file
 * @param {string} runtime path of the module that exports `isActive`
 */
export function instrument(source, mutants, runtime) {
  const imported = `import { isActive as ${IS_ACTIVE} } from ${JSON.stringify(runtime)}; `
  return imported + render(source, 0, source.length, sitesOf(mutants))
}

const IS_ACTIVE = '__isActiveMutant'

/** Joins the mutants of the same span; a site contains the sites within it. */
function sitesOf(mutants) {
  const root = { start: -1, end: Number.POSITIVE_INFINITY, mutants: [], inner: [] }
  const open = [root]
  // The outer span first; a statement encloses its expression when both have the same span.
  const ordered = [...mutants].sort(
    (one, other) => one.start - other.start || other.end - one.end || rank(one) - rank(other),
  )
  for (const mutant of ordered) {
    while (open.at(-1).end < mutant.end || open.at(-1).end <= mutant.start) open.pop()
    const around = open.at(-1)
    if (around.start === mutant.start && around.end === mutant.end && around.kind === mutant.kind) {
      around.mutants.push(mutant)
      continue
    }
    const site = { start: mutant.start, end: mutant.end, kind: mutant.kind, mutants: [mutant], inner: [] }
    around.inner.push(site)
    open.push(site)
  }
  return root.inner
}

const rank = ({ kind }) => (kind === 'statement' ? 0 : 1)

function render(source, start, end, sites, around) {
  let text = ''
  let at = start
  for (const site of sites) {
    // A line that starts with a parenthesis would continue the previous line.
    const isContinuation = around?.kind === 'leading expression' && around.start === site.start
    const prefix = site.kind === 'leading expression' && !isContinuation ? 'void 0, ' : ''
    text += source.slice(at, site.start) + prefix + renderSite(source, site)
    at = site.end
  }
  return text + source.slice(at, end)
}

/** Returns the text of a site. The branch of a mutant is plain text: no two mutants are active at the same time. */
function renderSite(source, site) {
  const { start, end, kind, mutants, inner } = site
  const original = render(source, start, end, inner, site)
  if (kind === 'statement') return `{ if (!${IS_ACTIVE}('${mutants[0].id}')) ${original} }`
  const branches = mutants.map(({ id, replacement }) => `${IS_ACTIVE}('${id}') ? (${replacement}) : `)
  return `(${branches.join('')}(${original}))`
}
