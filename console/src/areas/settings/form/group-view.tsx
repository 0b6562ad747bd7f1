import { Button, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { Card } from '../../../parts/card.tsx'
import { type JsonObject, valueAt } from '../draft.ts'
import { useExplanations } from '../explanations/use-explanations.ts'
import { childrenOf, kindOf, type Node } from '../schema.ts'
import { useSettingsDraft } from '../settings-draft.tsx'
import { EntriesView } from './entries-view.tsx'
import { isRates, RatesTable } from './rates-table.tsx'
import { SettingRow } from './setting-row.tsx'

/** Settings below one name: single ones together, each group in a card. */
export function GroupView({ node }: { readonly node: Node }) {
  const { explain } = useExplanations()
  const children = childrenOf(node)
  const rates = children.filter(isRates)
  const single = children.filter((child) => !rates.includes(child) && !['group', 'entries'].includes(kindOf(child)))
  const groups = children.filter((child) => !rates.includes(child) && !single.includes(child))
  const { about } = explain(node)
  return (
    <Flex vertical gap={16} style={{ minWidth: 0, paddingBottom: 16 }}>
      {node.path.length === 1 && about !== '' && <Typography.Text type="secondary">{about}</Typography.Text>}
      {rates.length > 0 && <RatesTable nodes={rates} />}
      {single.length > 0 &&
        (node.path.length === 1 ? (
          <Card size="small">
            <Rows nodes={single} />
          </Card>
        ) : (
          <Rows nodes={single} />
        ))}
      {groups.map((group) =>
        kindOf(group) === 'entries' ? (
          <EntriesView key={group.pattern} node={group} renderGroup={(entry) => <GroupView node={entry} />} />
        ) : (
          <GroupCard key={group.pattern} node={group} />
        ),
      )}
    </Flex>
  )
}

function Rows({ nodes }: { readonly nodes: readonly Node[] }) {
  return nodes.map((child) => <SettingRow key={child.pattern} node={child} />)
}

/** A group in its card; an optional one must be set up first. */
function GroupCard({ node }: { readonly node: Node }) {
  const { t } = useTranslation('settings')
  const { explain } = useExplanations()
  const { drafted, canChange, change } = useSettingsDraft()
  const { title, about } = explain(node)
  const isOptional = node.schema.default === undefined
  const isThere = !isOptional || valueAt(drafted, node.path) !== undefined
  const extra =
    isOptional && canChange ? (
      isThere ? (
        <Button size="small" onClick={() => change(node.path, null)} aria-label={t('removeOf', { name: title })}>
          {t('remove')}
        </Button>
      ) : (
        <Button
          size="small"
          onClick={() => change(node.path, constantsOf(node))}
          aria-label={t('setUpOf', { name: title })}
        >
          {t('setUp')}
        </Button>
      )
    ) : undefined
  return (
    <Card
      size="small"
      title={title}
      extra={extra}
      styles={{ body: isThere || about !== '' ? {} : { display: 'none' } }}
    >
      {about !== '' && <Typography.Paragraph type="secondary">{about}</Typography.Paragraph>}
      {isThere && <GroupView node={node} />}
    </Card>
  )
}

/** Returns the initial content of a new group: members with only one possible value. */
function constantsOf(node: Node): JsonObject {
  return Object.fromEntries(
    childrenOf(node).flatMap(({ path, schema }) => (schema.const === undefined ? [] : [[path.at(-1)!, schema.const]])),
  )
}
