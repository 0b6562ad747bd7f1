import { Flex } from 'antd'
import { Card } from '../../../parts/card.tsx'
import { useExplanations } from '../explanations/use-explanations.ts'
import { kindOf, type Node } from '../schema.ts'
import { EntriesView } from './entries-view.tsx'
import { GroupView } from './group-view.tsx'
import { SettingRow } from './setting-row.tsx'

interface NodeViewProps {
  readonly node: Node
  /** Whether to show its group, for search results. */
  readonly withGroup?: boolean
}

/** A setting with its name and explanation, or all settings below a name. */
export function NodeView({ node, withGroup = false }: NodeViewProps) {
  const { nameOf } = useExplanations()
  const kind = kindOf(node)
  const view =
    kind === 'group' ? (
      <GroupView node={node} />
    ) : kind === 'entries' ? (
      <EntriesView node={node} renderGroup={(group) => <GroupView node={group} />} />
    ) : (
      <SettingRow node={node} />
    )
  if (!withGroup) return view
  const groups = node.path.slice(0, -1).map((_, depth) =>
    node.pattern
      .split('.')
      .slice(0, depth + 1)
      .join('.'),
  )
  return (
    <Card size="small" title={groups.map(nameOf).join(' › ')}>
      <Flex vertical>{view}</Flex>
    </Card>
  )
}
