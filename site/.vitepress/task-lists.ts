import type { MarkdownRenderer } from 'vitepress'

const OPEN_TASK = '[ ] '

/** Renders list items that begin with `[ ]` with a box to tick, as GitHub does. The page does not remember the ticks. */
export function taskLists(md: MarkdownRenderer): void {
  md.core.ruler.after('inline', 'task-lists', ({ tokens, Token }) => {
    for (const [index, item] of tokens.entries()) {
      const text = tokens[index + 2]
      const first = text?.children?.[0]
      if (item.type !== 'list_item_open' || text?.type !== 'inline' || !first?.content.startsWith(OPEN_TASK)) continue
      first.content = first.content.slice(OPEN_TASK.length)
      const box = new Token('html_inline', '', 0)
      box.content = '<input type="checkbox" />&nbsp;'
      text.children?.unshift(box)
      item.attrJoin('class', 'task')
    }
  })
}
