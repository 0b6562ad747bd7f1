import type { Explanations } from './explanations/use-explanations.ts'
import { childrenOf, kindOf, type Node } from './schema.ts'

/** Returns the settings at or below a node whose name, path or explanation contains all search words. */
export function found(node: Node, text: string, explain: Explanations['explain']): Node[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return search(node)

  function search(at: Node): Node[] {
    if (at.path.length > 1 && holds(at)) return [at]
    return kindOf(at) === 'group' ? childrenOf(at).flatMap(search) : []
  }

  function holds(node: Node): boolean {
    const { title, about } = explain(node)
    const said = `${title} ${about} ${node.pattern}`.toLowerCase()
    return words.every((word) => said.includes(word))
  }
}
